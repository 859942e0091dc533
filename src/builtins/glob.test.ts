import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { callBuiltin, doneOf, errorOf, isMeant } from '../../test/support/built-in.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { glob } from './glob.ts';

interface Value {
  readonly files: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
}

async function find(files: Tree, pattern: string, path?: string): Promise<readonly string[]> {
  const input = { pattern, ...(path === undefined ? {} : { path }) };
  return (doneOf(await callBuiltin(glob, input, { workspace: files.path })).value as unknown as Value).files;
}

describe('glob', () => {
  test('gives files, newest first, relative to the workspace', async () => {
    using files = tree({ 'src/old.ts': '', 'src/deep/new.ts': '', 'src/middle.ts': '', 'src/a.js': '' });
    utimesSync(files.at('src/old.ts'), 1, 100);
    utimesSync(files.at('src/middle.ts'), 1, 200);
    utimesSync(files.at('src/deep/new.ts'), 1, 300);
    const all = ['src/deep/new.ts', 'src/middle.ts', 'src/old.ts'];
    assert.deepEqual(await find(files, '**/*.ts'), all);
    assert.deepEqual(await find(files, '**/*.ts', 'src'), all);
    assert.deepEqual(await find(files, '*.ts', files.at('src')), ['src/middle.ts', 'src/old.ts']);
    assert.deepEqual(await find(files, 'src'), []);
    const output = doneOf(await callBuiltin(glob, { pattern: 'src/*.ts' }, { workspace: files.path }));
    assert.equal(output.text, 'src/middle.ts\nsrc/old.ts');
    assert.deepEqual(output.value, { files: ['src/middle.ts', 'src/old.ts'], total: 2, truncated: false });
    const none = doneOf(await callBuiltin(glob, { pattern: 'x' }, { workspace: files.path }));
    assert.equal(none.text, 'No file matches.');
  });

  test('leaves out what is ignored at any level, .git, and hidden names that the pattern does not name', async () => {
    using files = tree({
      '.gitignore': 'node_modules/\n*.log\n',
      'node_modules/x/index.js': '',
      'a.js': '',
      'a.log': '',
      'sub/.ignore': '/generated\n!keep.log\n',
      'sub/generated/b.js': '',
      'sub/keep.log': '',
      'sub/generated.js': '',
      '.git/c.js': '',
      '.hidden/d.js': '',
    });
    assert.deepEqual((await find(files, '**/*.js')).toSorted(), ['a.js', 'sub/generated.js']);
    assert.deepEqual((await find(files, '**/*.log')).toSorted(), ['sub/keep.log']);
    assert.deepEqual(await find(files, '**/*.log', 'sub'), ['sub/keep.log']);
    assert.deepEqual(await find(files, '.hidden/*'), ['.hidden/d.js']);
    assert.deepEqual(await find(files, '.git/*'), []);
    assert.deepEqual(await find(files, '*.js', 'node_modules/x'), ['node_modules/x/index.js']);
  });

  test('follows no link out of the workspace, and none in a circle', async () => {
    using outside = tree({ 'secret.ts': '' });
    using files = tree({ 'a/real.ts': '' });
    symlinkSync(outside.path, files.at('out'));
    symlinkSync(outside.at('secret.ts'), files.at('secret.ts'));
    symlinkSync('a/real.ts', files.at('link.ts'));
    symlinkSync('..', files.at('a/loop'));
    assert.deepEqual((await find(files, '**/*.ts')).toSorted(), ['a/real.ts', 'link.ts']);
    for (const path of ['out', '..', outside.path]) {
      const output = await callBuiltin(glob, { pattern: '*', path }, { workspace: files.path });
      assert.equal(errorOf(output).code, 'policy.denied');
    }
  });

  test('gives at most 1,000 files and says so', async () => {
    using files = tree();
    mkdirSync(files.at('many'));
    for (let index = 0; index < 1001; index++) writeFileSync(files.at('many', `${index}.txt`), '');
    const output = doneOf(await callBuiltin(glob, { pattern: '**/*.txt' }, { workspace: files.path }));
    const value = output.value as unknown as Value;
    assert.deepEqual([value.files.length, value.total, value.truncated], [1000, 1001, true]);
    assert.match(output.text, /\(These are the newest 1000 of 1001 files; use a narrower pattern\.\)$/);
  });

  test('says what is wrong with a pattern or a folder', async () => {
    using files = tree({ 'src/a': '' });
    const fail = async (input: { pattern: string; path?: string }): Promise<string> =>
      errorOf(await callBuiltin(glob, input, { workspace: files.path })).message;
    assert.match(await fail({ pattern: '../*' }), /leads out/);
    assert.match(await fail({ pattern: '*', path: 'scr' }), /There is no "scr"/);
    assert.match(await fail({ pattern: '*', path: 'src/a' }), /is not a folder/);
    assert.match(errorOf(await callBuiltin(glob, { pattern: '*' }, {})).message, /has no workspace/);
  });

  test('is not held up by ignore files with more lines than anybody writes', async () => {
    const lines = ['*', ...Array.from({ length: 80_000 }, (_, index) => `!*${index}x`)].join('\n');
    using files = tree(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}.txt`, ''])));
    writeFileSync(files.at('.gitignore'), lines);
    assert.equal((await find(files, '*.txt')).length, 50); // nothing, if its first line were read
  });

  test('stops when its call is over', async () => {
    using files = tree();
    for (let index = 0; index < 1500; index++) mkdirSync(files.at(`${index}`));
    const controller = new AbortController();
    const running = callBuiltin(
      glob,
      { pattern: '**/x' },
      { workspace: files.path, signal: controller.signal },
    );
    setImmediate(() => controller.abort()); // when the search yields for the first time
    assert.equal((await running).status, 'failed');
  });

  test('is meant by a rule that means all that is searched', () => {
    assert.ok(isMeant(glob, 'src/**', { pattern: '**/*.ts', path: 'src' }));
    assert.ok(isMeant(glob, 'src/**', { pattern: 'src/**/*.ts' }));
    assert.ok(isMeant(glob, 'src/**', { pattern: 'deep/*', path: 'src' }));
    assert.ok(!isMeant(glob, 'src/**', { pattern: '**/*.ts' }));
    assert.ok(!isMeant(glob, 'src/**', { pattern: '{src,secret}/*' }));
    assert.ok(!isMeant(glob, 'src/**', { pattern: 'src/../secret/*' }));
  });
});
