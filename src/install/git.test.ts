import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { git } from '../../test/support/git.ts';
import { openInstallStage } from '../../test/support/install-stage.ts';
import { serveRepositories } from '../../test/support/skill-sources.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';

const code = (expected: string) => (thrown: unknown) => isAgentError(thrown) && thrown.code === expected;

/** Creates a repository `acme/skills.git` with the skill `greet` and the tag `v1`. */
function repository(): Tree & { commit(message: string): string } {
  const base = tree({ 'repos/acme/skills.git/skills/greet/SKILL.md': skillText('greet') });
  const folder = base.at('repos/acme/skills.git');
  git(folder, 'init', '--quiet', '--template=', '--initial-branch=main');
  const commit = (message: string): string => {
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', message);
    return git(folder, 'rev-parse', 'HEAD').trim();
  };
  commit('one');
  git(folder, 'tag', '--annotate', '--message', 'one', 'v1');
  return { ...base, at: base.at, commit };
}

describe('repositories over HTTP', () => {
  test('owner/repo/path@tag installs the commit of the tag, and the lock names it', async () => {
    using repo = repository();
    await using server = await serveRepositories(repo.at('repos'));
    using project = tree();
    const stage = openInstallStage(project.path, {}, server.origin);
    await stage.add('acme/skills/skills/greet@v1');
    const folder = repo.at('repos/acme/skills.git');
    const entry = stage.lock().get('greet');
    const commit = git(folder, 'rev-parse', 'HEAD').trim();
    assert.deepEqual(entry?.resolved, { commit, ref: 'refs/tags/v1' });
    assert.equal(entry?.source, 'acme/skills/skills/greet@v1');
    assert.equal(readFileSync(project.at('.agents/skills/greet/SKILL.md'), 'utf8'), skillText('greet'));
    assert.ok(!existsSync(project.at('.agents/skills/greet/.git')));
  });

  test('a tag that was moved is refused until it is accepted', async () => {
    using repo = repository();
    await using server = await serveRepositories(repo.at('repos'));
    using project = tree();
    const stage = openInstallStage(project.path, {}, server.origin);
    await stage.add('acme/skills@v1');
    repo.write('repos/acme/skills.git/skills/greet/SKILL.md', skillText('greet', 'Something else.'));
    const moved = repo.commit('two');
    git(repo.at('repos/acme/skills.git'), 'tag', '--force', 'v1');
    await assert.rejects(stage.add('acme/skills@v1'), code('source.changed'));
    assert.equal(readFileSync(project.at('.agents/skills/greet/SKILL.md'), 'utf8'), skillText('greet'));
    await stage.add('acme/skills@v1', { moved: true });
    assert.equal(stage.lock().get('greet')?.resolved?.commit, moved);
  });

  test('a branch may move, and the locked commit can still be installed', async () => {
    using repo = repository();
    await using server = await serveRepositories(repo.at('repos'));
    using project = tree();
    const stage = openInstallStage(project.path, {}, server.origin);
    await stage.add('acme/skills@main');
    const before = stage.lock().get('greet')?.digest;
    repo.write('repos/acme/skills.git/skills/greet/SKILL.md', skillText('greet', 'Newer.'));
    repo.commit('two');
    rmSync(project.at('.agents/skills'), { recursive: true });
    rmSync(project.at('cache'), { recursive: true });
    const [restored] = await stage.restore(['greet']);
    assert.equal(restored?.entry.digest, before);
    assert.equal(readFileSync(project.at('.agents/skills/greet/SKILL.md'), 'utf8'), skillText('greet'));
  });

  test('a rewritten history without the locked commit is reported, and the cache still has the files', async () => {
    using repo = repository();
    await using server = await serveRepositories(repo.at('repos'));
    using project = tree();
    const stage = openInstallStage(project.path, {}, server.origin);
    await stage.add('acme/skills@main');
    const folder = repo.at('repos/acme/skills.git');
    rmSync(`${folder}/.git`, { recursive: true });
    git(folder, 'init', '--quiet', '--template=', '--initial-branch=main');
    repo.write('repos/acme/skills.git/skills/greet/SKILL.md', skillText('greet', 'Rewritten.'));
    repo.commit('other');
    rmSync(project.at('.agents/skills'), { recursive: true });
    await stage.restore(['greet'], { offline: true });
    assert.equal(readFileSync(project.at('.agents/skills/greet/SKILL.md'), 'utf8'), skillText('greet'));
    rmSync(project.at('.agents/skills'), { recursive: true });
    rmSync(project.at('cache'), { recursive: true });
    await assert.rejects(stage.restore(['greet']), code('source.changed'));
  });

  test('a ref or a repository that does not exist is named', async () => {
    using repo = repository();
    await using server = await serveRepositories(repo.at('repos'));
    using project = tree();
    const stage = openInstallStage(project.path, {}, server.origin);
    await assert.rejects(stage.add('acme/skills@nope'), code('source.unreachable'));
    await assert.rejects(stage.add('acme/nothing'), code('source.unreachable'));
  });
});

describe('hostile repositories', () => {
  const marker = 'hook-ran';
  const hostile: Readonly<Record<string, (folder: string, repo: Tree) => void>> = {
    'a link to a file': (folder) => symlinkSync('/etc/passwd', `${folder}/skills/greet/passwd`),
    'a link to a folder': (folder) => symlinkSync('../../..', `${folder}/skills/greet/up`),
    'a submodule': (folder) => {
      const commit = git(folder, 'rev-parse', 'HEAD').trim();
      git(folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},skills/greet/sub`);
    },
    'a file of Git LFS': (_folder, repo) => {
      const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
      repo.write('repos/acme/skills.git/skills/greet/model.bin', text);
    },
    'names that differ only in case': (_folder, repo) => {
      repo.write('repos/acme/skills.git/skills/greet/Readme.md', 'a');
      repo.write('repos/acme/skills.git/skills/greet/README.md', 'b');
    },
    'a name with a control character': (_folder, repo) => {
      repo.write('repos/acme/skills.git/skills/greet/a\u001b[2Jb', 'x');
    },
    'a backslash in a name': (_folder, repo) => {
      repo.write('repos/acme/skills.git/skills/greet/..\\..\\x', 'x');
    },
    'a reserved name': (_folder, repo) => {
      repo.write('repos/acme/skills.git/skills/greet/NUL.txt', 'x');
    },
    'too many files': (folder, repo) => {
      for (let index = 0; index < 2_001; index++)
        repo.write(`repos/acme/skills.git/skills/greet/f/${index}`, '');
      git(folder, 'add', '--all');
    },
    'too large': (_folder, repo) => {
      repo.write('repos/acme/skills.git/skills/greet/big.bin', Buffer.alloc(33 * 1024 * 1024));
    },
  };

  for (const [what, change] of Object.entries(hostile)) {
    test(`${what}: refused, and nothing is installed`, async () => {
      using repo = repository();
      const folder = repo.at('repos/acme/skills.git');
      change(folder, repo);
      if (what !== 'a submodule') git(folder, 'add', '--all');
      git(folder, 'commit', '--quiet', '--message', 'bad');
      using project = tree();
      const stage = openInstallStage(project.path);
      await assert.rejects(stage.add(`file://${folder}#main`), code('skill.refused'));
      assert.ok(!existsSync(project.at('.agents/skills/greet')));
      assert.ok(!existsSync(project.at('skilled-lock.json')));
    });
  }

  test('a tree with names that leave the repository is refused', async () => {
    for (const name of ['..', '.git', '.']) {
      using repo = repository();
      const folder = repo.at('repos/acme/skills.git');
      const blob = git(folder, 'rev-parse', 'HEAD:skills/greet/SKILL.md').trim();
      const id = Buffer.from(blob, 'hex');
      const inner = Buffer.concat([Buffer.from('100644 evil\0'), id]);
      const write = (bytes: Buffer): string => {
        repo.write('tree', bytes);
        return git(folder, 'hash-object', '--literally', '-t', 'tree', '-w', repo.at('tree')).trim();
      };
      const bad = Buffer.from(write(inner), 'hex');
      const root = Buffer.concat([Buffer.from(`40000 ${name}\0`), bad, Buffer.from('100644 SKILL.md\0'), id]);
      const commit = git(folder, 'commit-tree', '-m', 'bad', write(root)).trim();
      git(folder, 'update-ref', 'refs/heads/bad', commit);
      using project = tree();
      await assert.rejects(openInstallStage(project.path).add(`file://${folder}#bad`), isAgentError, name);
      assert.ok(!existsSync(project.at('skilled-lock.json')));
      assert.ok(!existsSync(project.at('.agents/evil')) && !existsSync(project.at('.agents/skills/evil')));
    }
  });

  test('hooks, filters and attributes of a repository never run', async () => {
    using repo = repository();
    const folder = repo.at('repos/acme/skills.git');
    const script = `#!/bin/sh\ntouch ${repo.at(marker)}\n`;
    for (const hook of ['post-checkout', 'post-merge', 'reference-transaction', 'pre-auto-gc'])
      repo.write(`repos/acme/skills.git/.git/hooks/${hook}`, script);
    repo.write('repos/acme/skills.git/.gitattributes', '* filter=evil\n');
    git(folder, 'config', 'filter.evil.smudge', `touch ${repo.at(marker)}`);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', 'attributes');
    using project = tree();
    await openInstallStage(project.path).add(`file://${folder}#main`);
    assert.ok(!existsSync(repo.at(marker)));
    assert.ok(existsSync(project.at('.agents/skills/greet/SKILL.md')));
  });

  test('addresses and refs that would start a program or be read as a flag are not sources', async () => {
    using project = tree();
    const stage = openInstallStage(project.path);
    const bad = [
      `git+ext::sh -c touch% ${project.at(marker)}`,
      `ext::sh -c "touch ${project.at(marker)}".git`,
      `git+--upload-pack=touch ${project.at(marker)}`,
      '-oProxyCommand=x:y.git',
      'https://example.org/x.git#--output=/tmp/x',
      'acme/skills@--upload-pack=x',
      'acme/skills@a..b',
      '../../x@v1\n',
      'http://example.org/x.zip',
      'acme/../x',
    ];
    for (const source of bad)
      await assert.rejects(stage.add(source), (thrown) => isAgentError(thrown), source);
    assert.ok(!existsSync(project.at(marker)));
  });
});
