import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openInstallStage } from '../../test/support/install-stage.ts';
import {
  serve,
  serveFolder,
  serveRegistry,
  type PublishedPackage,
} from '../../test/support/skill-sources.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';
import { builtinFamilies } from '../families/index.ts';
import { findBundles } from './find-bundles.ts';
import { openLocal } from './local.ts';
import { publishSkills } from './publish.ts';
import { readBundle } from './tree.ts';

const code = (expected: string) => (thrown: unknown) => isAgentError(thrown) && thrown.code === expected;

/** Publishes the skills of a folder to `public` in the same tree. */
async function publish(files: Tree, folder: string): Promise<void> {
  await using source = await openLocal(files.at(folder));
  const skills = await findBundles(source, builtinFamilies);
  const published = await Promise.all(
    skills.map(async (skill) => ({ skill, files: await readBundle(source, skill.folder) })),
  );
  for (const [path, bytes] of publishSkills(published)) files.write(`public/${path}`, bytes);
}

describe('a static site', () => {
  const skills = {
    'skills/greet/SKILL.md': skillText('greet'),
    'skills/pdf/SKILL.md': skillText('pdf'),
    'skills/pdf/scripts/read.py': 'print(1)\n',
  };

  test('what is published is installed with the same digests', async () => {
    using site = tree(skills);
    await publish(site, 'skills');
    await using server = await serveFolder(site.at('public'));
    using project = tree();
    const stage = openInstallStage(project.path);
    const staged = await stage.add(server.origin);
    assert.deepEqual(staged.map(({ name }) => name).sort(), ['greet', 'pdf']);
    using copy = tree(skills);
    const local = await openInstallStage(tree().path).add(copy.at('skills'));
    assert.deepEqual(
      staged.map(({ entry }) => entry.digest),
      local.map(({ entry }) => entry.digest),
    );
    rmSync(project.at('.agents/skills'), { recursive: true });
    rmSync(project.at('cache'), { recursive: true });
    await stage.restore(['pdf']);
    assert.equal(readFileSync(project.at('.agents/skills/pdf/scripts/read.py'), 'utf8'), 'print(1)\n');
  });

  test('an archive that differs from the index is refused', async () => {
    using site = tree(skills);
    await publish(site, 'skills');
    writeFileSync(site.at('public/.well-known/agent-skills/greet/SKILL.md'), skillText('greet', 'Evil.'));
    await using server = await serveFolder(site.at('public'));
    const stage = openInstallStage(tree().path);
    await assert.rejects(stage.add(server.origin), code('skill.refused'));
  });

  test('a download that is different from the lock is not installed again', async () => {
    using site = tree({ 'public/greet/SKILL.md': skillText('greet') });
    await using server = await serveFolder(site.at('public'));
    using project = tree();
    const stage = openInstallStage(project.path);
    await stage.add(`${server.origin}/greet/SKILL.md`);
    writeFileSync(site.at('public/greet/SKILL.md'), skillText('greet', 'Other.'));
    rmSync(project.at('.agents/skills'), { recursive: true });
    rmSync(project.at('cache'), { recursive: true });
    await assert.rejects(stage.restore(['greet']), code('source.changed'));
  });

  const bad: Readonly<Record<string, string>> = {
    'no list': '{}',
    'no JSON': '<html>',
    'no digest': '{"skills":[{"name":"a","url":"a.zip"}]}',
    'a repeated name': `{"skills":[${'{"name":"a","url":"a","digest":"sha256:' + 'a'.repeat(64) + '"},'.repeat(1)}{"name":"a","url":"a","digest":"sha256:${'a'.repeat(64)}"}]}`,
    'a name that is a path': `{"skills":[{"name":"../a","url":"a","digest":"sha256:${'a'.repeat(64)}"}]}`,
  };
  for (const [what, text] of Object.entries(bad)) {
    test(`an index with ${what} is refused`, async () => {
      using site = tree({ 'public/.well-known/agent-skills/index.json': text });
      await using server = await serveFolder(site.at('public'));
      await assert.rejects(openInstallStage(tree().path).add(server.origin), code('skill.refused'));
    });
  }

  test('a redirect to an unencrypted address, endless redirects and endless files are refused', async () => {
    await using server = await serve((_request, response, path) => {
      if (path.startsWith('/out')) response.writeHead(302, { location: 'http://192.0.2.1/x.zip' }).end();
      else if (path.startsWith('/loop')) response.writeHead(302, { location: path }).end();
      else if (path.startsWith('/big')) {
        const chunk = Buffer.alloc(1_048_576);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      } else response.writeHead(500).end();
    });
    const stage = openInstallStage(tree().path);
    for (const path of ['out', 'loop', 'fault'])
      await assert.rejects(stage.add(`${server.origin}/${path}.zip`), code('source.unreachable'), path);
    await assert.rejects(stage.add(`${server.origin}/big.zip`), code('skill.refused'));
  });
});

describe('packages', () => {
  /** Packs a folder with npm itself, as a publisher does. */
  function pack(files: Tree, folder: string): PublishedPackage {
    const env = { PATH: process.env['PATH'], HOME: files.path, npm_config_cache: files.at('npm-cache') };
    const text = execFileSync('npm', ['pack', '--json', '--offline', '--pack-destination', files.path], {
      cwd: files.at(folder),
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const read = JSON.parse(text) as unknown;
    const [packed] = (Array.isArray(read) ? read : Object.values(read as object)) as readonly {
      name: string;
      version: string;
      filename: string;
      integrity: string;
    }[];
    assert.ok(packed !== undefined);
    const { name, version, filename, integrity } = packed;
    const file = filename.replace('@', '').replaceAll('/', '-');
    return { name, version, integrity, archive: readFileSync(files.at(file)) };
  }

  function packageFiles(version: string, more: Readonly<Record<string, string>> = {}): Tree {
    const scripts = { install: 'touch ran', postinstall: 'touch ran', prepare: 'touch ran' };
    return tree({
      'package/package.json': JSON.stringify({ name: '@acme/skills', version, files: ['skills'], scripts }),
      'package/skills/greet/SKILL.md': skillText('greet', `Version ${version}.`),
      ...more,
    });
  }

  test('a package that npm packed is installed by range, and its scripts do not run', async () => {
    const packages = ['1.0.0', '1.2.0', '2.0.0'].map((version) => {
      using files = packageFiles(version);
      return pack(files, 'package');
    });
    await using registry = await serveRegistry(packages);
    using project = tree();
    const stage = openInstallStage(project.path, { npmRegistry: registry.origin });
    await stage.add('npm:@acme/skills@^1.0.0');
    const entry = stage.lock().get('greet');
    assert.equal(entry?.resolved?.version, '1.2.0');
    assert.equal(entry.resolved.integrity, packages[1]?.integrity);
    assert.match(readFileSync(project.at('.agents/skills/greet/SKILL.md'), 'utf8'), /Version 1\.2\.0/);
    await stage.add('npm:@acme/skills');
    assert.equal(stage.lock().get('greet')?.resolved?.version, '2.0.0');
  });

  test('an archive without the stated integrity is refused, and a version that changed is not accepted', async () => {
    using files = packageFiles('1.0.0');
    const packed = pack(files, 'package');
    const packages = [packed];
    await using registry = await serveRegistry(packages);
    using project = tree();
    const stage = openInstallStage(project.path, { npmConfig: `@acme:registry=${registry.origin}/\n` });
    await stage.add('npm:@acme/skills@1.0.0');
    packages[0] = { ...packed, archive: Buffer.concat([packed.archive, Buffer.from([0])]) };
    await assert.rejects(stage.add('npm:@acme/skills@1.0.0'), code('skill.refused'));
    using changed = packageFiles('1.0.0', { 'package/skills/greet/more.md': 'x' });
    packages[0] = pack(changed, 'package');
    await assert.rejects(stage.add('npm:@acme/skills@1.0.0'), code('source.changed'));
    await assert.rejects(stage.add('npm:@acme/skills@^3'), code('source.unreachable'));
    await assert.rejects(stage.add('npm:@acme/nothing'), code('source.unreachable'));
  });
});
