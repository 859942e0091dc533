import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { documentOf, spawnCommand } from '../../test/support/command.ts';
import { compileCache } from '../../test/support/compile-cache.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';

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

describe('the program', () => {
  test('lists what lies around the current folder and at home, as one JSON document', () => {
    using files = workspace();
    const ended = spawnCommand(['list', '--json'], { env: environment(files), cwd: files.at('work') });
    assert.deepEqual([ended.code, ended.err], [0, '']);
    const skills = documentOf(ended)['skills'] as { name: string; source: string }[];
    assert.deepEqual(
      skills.filter(({ source }) => source !== 'bundled').map(({ name, source }) => `${name} ${source}`),
      ['mine user', 's-0 project'],
    );
  });

  test('ends with the code of what went wrong', () => {
    using files = workspace();
    files.write('work/skills/broken/SKILL.md', '');
    const how = { env: environment(files), cwd: files.at('work') };
    assert.equal(spawnCommand(['validate', '--json'], how).code, 3);
    assert.equal(spawnCommand(['show', 'nope', '--json'], how).code, 3);
    assert.equal(spawnCommand(['list', '--nope', '--json'], how).code, 2);
  });

  test('knows its version and its help', () => {
    assert.match(spawnCommand(['--version']).out, /^\d+\.\d+\.\d+\n$/);
    assert.match(spawnCommand([]).out, /^skilled reads any folder of skills/);
  });

  test('needs no HOME', () => {
    using files = workspace();
    const { code, err } = spawnCommand([
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

  test('colours only when asked: FORCE_COLOR, but not NO_COLOR or --no-color', () => {
    using files = workspace();
    const run = (args: readonly string[], env: Record<string, string>): boolean =>
      spawnCommand(['list', ...args], {
        env: { ...environment(files), ...env },
        cwd: files.at('work'),
      }).out.includes('\u001b[');
    assert.equal(run([], {}), false);
    assert.equal(run([], { FORCE_COLOR: '1' }), true);
    assert.equal(run([], { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
    assert.equal(run(['--no-color'], { FORCE_COLOR: '1' }), false);
  });

  test('a reader that goes away ends the output quietly', async () => {
    using files = workspace(1_000);
    const main = join(import.meta.dirname, 'main.ts');
    const child = spawn(process.execPath, [main, 'list', '--json'], {
      env: { ...compileCache(), ...environment(files) },
      cwd: files.at('work'),
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('exit', (...how) => {
        resolve(how);
      });
    });
    assert.deepEqual({ code, signal, err }, { code: 0, signal: null, err: '' });
  });
});

test('listing plain skills loads no schema library, Markdown parser, tokenizer, encoder, store or database', () => {
  using files = workspace(3);
  const hook =
    'import { registerHooks } from "node:module";' +
    'registerHooks({ resolve(name, from, next) { const found = next(name, from); process.stderr.write(found.url + "\\n"); return found; } });';
  const node = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const { code, out, err } = spawnCommand(['list', '--quiet'], {
    env: environment(files),
    cwd: files.at('work'),
    node,
  });
  assert.equal(code, 0);
  assert.match(out, /^s-2 /m);
  assert.match(err, /src\/skills\/registry\.ts/, 'the hook sees what is loaded');
  assert.doesNotMatch(err, /node_modules\/(?:zod|markdown-it|gpt-tokenizer|@lat\.md|kysely|pg|csv-parse)\//);
  assert.doesNotMatch(err, /src\/stores\/|node:sqlite|src\/cli\/running\//);
});
