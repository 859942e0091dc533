import assert from 'node:assert/strict';
import { chmodSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, documentOf, leaveHome } from '../../test/support/command.ts';
import { runCommand, startCommand } from '../../test/support/command-process.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';

leaveHome();

function workspace(count = 1): Tree {
  const many = Array.from({ length: count }, (_, index): [string, string] => [
    `work/skills/s-${index}/SKILL.md`,
    skillText(`s-${index}`, 'Does something.'),
  ]);
  return tree({
    'work/.git/HEAD': '',
    'home/.agents/skills/mine/SKILL.md': skillText('mine'),
    ...Object.fromEntries(many),
  });
}

function environment(files: Tree): Record<string, string> {
  return { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
}

describe('the program', { concurrency: true }, () => {
  test('lists what is around the current folder and at home, as one JSON document', async () => {
    using files = workspace();
    const ended = await runCommand(['list', '--json'], { env: environment(files), cwd: files.at('work') });
    assert.deepEqual([ended.code, ended.err], [0, '']);
    const skills = documentOf(ended)['skills'] as { name: string; source: string }[];
    assert.deepEqual(
      skills.filter(({ source }) => source !== 'bundled').map(({ name, source }) => `${name} ${source}`),
      ['mine user', 's-0 project'],
    );
  });

  test('ends with the code of what went wrong', async () => {
    using files = workspace();
    files.write('work/skills/broken/SKILL.md', '');
    const how = { env: environment(files), cwd: files.at('work') };
    assert.equal((await runCommand(['validate', '--json'], how)).code, 3);
    assert.equal((await call(['show', 'nope', '--json', '--cwd', how.cwd])).code, 3);
    assert.equal((await call(['list', '--nope', '--json', '--cwd', how.cwd])).code, 2);
  });

  test('knows its version and its help', async () => {
    assert.match((await runCommand(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
    assert.match((await runCommand([])).out, /^Usage: skilled <command>/m);
  });

  test('needs no HOME', async () => {
    using files = workspace();
    const { code, err } = await runCommand([
      'list',
      '--cwd',
      files.at('work'),
      '--quiet',
      '--skills',
      files.at('work/skills'),
      '--only',
    ]);
    assert.deepEqual([code, err], [0, '']);
  });

  test('colours only when asked: FORCE_COLOR, but not NO_COLOR or --no-color', async () => {
    using files = workspace();
    const isColoured = async (args: readonly string[], more: Record<string, string>): Promise<boolean> => {
      const env = { ...environment(files), ...more };
      return (await runCommand(['list', ...args], { env, cwd: files.at('work') })).out.includes('\u001b[');
    };
    assert.equal(await isColoured([], {}), false);
    assert.equal(await isColoured([], { FORCE_COLOR: '1' }), true);
    assert.equal(await isColoured([], { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
    assert.equal(await isColoured(['--no-color'], { FORCE_COLOR: '1' }), false);
  });

  test('a reader that goes away ends the output quietly', async () => {
    using files = workspace(1_000);
    const how = { env: environment(files), cwd: files.at('work') };
    const { child, ended } = startCommand(['list', '--json'], how);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, err } = await ended;
    assert.deepEqual({ code, signal: child.signalCode, err }, { code: 0, signal: null, err: '' });
  });
});

test('listing plain skills loads no schema library, Markdown parser, tokenizer, encoder, store or database', async () => {
  using files = workspace(3);
  const hook =
    'import { registerHooks } from "node:module";' +
    'registerHooks({ resolve(name, from, next) { const found = next(name, from); process.stderr.write(found.url + "\\n"); return found; } });';
  const node = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const how = { env: environment(files), cwd: files.at('work'), node };
  const { code, out, err } = await runCommand(['list', '--quiet'], how);
  assert.equal(code, 0);
  assert.match(out, /^s-2 /m);
  const urls = err.split('\n');
  const sources = urls.filter((url) => url.startsWith('file:')).flatMap(sourcesOf);
  assert.ok(sources.includes('src/skills/registry/registry.ts'), 'the hook sees what is loaded');
  const slow =
    /node_modules\/(?:zod|markdown-it|gpt-tokenizer|@lat\.md|kysely|pg|csv-parse)\/|^src\/(?:stores|cli\/running)\//;
  assert.deepEqual(
    sources.filter((source) => slow.test(source)),
    [],
  );
  const loaded = urls.filter((url) => /node:sqlite|\/dist\/vendor\/|\/node_modules\/(?!skilled\/)/.test(url));
  assert.deepEqual(loaded, []);
});

/** Returns the source files of a built file, whose names the build writes above their code. */
function sourcesOf(url: string): readonly string[] {
  const lines = readFileSync(fileURLToPath(url), 'utf8').matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+)$/gm);
  return [...lines].map(([, name = '']) => name);
}

describe('the compiled code that a start keeps', () => {
  async function list(files: Tree): Promise<string> {
    const ended = await runCommand(['list', '--quiet'], {
      env: environment(files),
      cwd: files.at('work'),
      wrapper: ['env', '-u', 'NODE_COMPILE_CACHE'],
    });
    assert.deepEqual([ended.code, ended.err], [0, '']);
    return ended.out;
  }

  const entries = (files: Tree): string[] =>
    globSync('home/.cache/skilled/compiled/*/*/*', { cwd: files.path }).map((name) => files.at(name));

  test('is in a folder that only the user can access', async () => {
    using files = workspace();
    const out = await list(files);
    assert.ok(entries(files).length > 0);
    const modes = ['', '/skilled', '/skilled/compiled'].map(
      (name) => statSync(files.at(`home/.cache${name}`)).mode & 0o077,
    );
    assert.deepEqual(modes, [0, 0, 0]);
    assert.equal(await list(files), out);
  });

  test('damaged or truncated entries are not used', async () => {
    using files = workspace();
    const out = await list(files);
    for (const [index, entry] of entries(files).entries()) {
      const bytes = readFileSync(entry);
      for (let at = 0; at < bytes.length; at += 97) bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
      writeFileSync(entry, index % 2 === 0 ? bytes : bytes.subarray(0, bytes.length / 2));
    }
    assert.equal(await list(files), out);
  });

  test('a folder that others can write to is not used', async () => {
    using files = workspace();
    files.write('home/.cache/skilled/compiled/other', '');
    chmodSync(files.at('home/.cache/skilled/compiled'), 0o777);
    await list(files);
    assert.deepEqual(entries(files), []);
  });

  test('the demo, which writes nothing, keeps none', async () => {
    using files = workspace();
    await runCommand(['demo'], {
      env: environment(files),
      cwd: files.at('work'),
      wrapper: ['env', '-u', 'NODE_COMPILE_CACHE'],
    });
    assert.equal(existsSync(files.at('home/.cache')), false);
  });
});
