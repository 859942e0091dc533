import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { Output } from '../core/run.ts';
import { callBuiltin, doneOf, errorOf, isMeant } from '../../test/support/built-in.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { edit } from './edit.ts';
import { read } from './read.ts';
import { write } from './write.ts';

function call(files: Tree, file_path: string, content: string): Promise<Output> {
  return callBuiltin(write, { file_path, content }, { workspace: files.path });
}

describe('write', () => {
  test('makes a file with its folders, and says so', async () => {
    using files = tree();
    const output = doneOf(await call(files, 'a/b/c.txt', 'grün $& $1\n'));
    assert.equal(output.text, 'Created "a/b/c.txt", 12 bytes.');
    assert.deepEqual(output.value, { path: 'a/b/c.txt', created: true, bytes: 12 });
    assert.equal(readFileSync(files.at('a/b/c.txt'), 'utf8'), 'grün $& $1\n');
    assert.deepEqual(readdirSync(files.at('a/b')), ['c.txt']);
  });

  test('keeps content that looks like an input or names another skill', async () => {
    using files = tree();
    const content = 'file_path: other\n`quoted` dependsOn: x, content: y';
    await call(files, 'a', content);
    assert.equal(readFileSync(files.at('a'), 'utf8'), content);
  });

  test('no file of a database is written, read or changed as text', async () => {
    using files = tree({ 'plain.db': 'text', 'plain.db-wal': 'text' });
    using database = new DatabaseSync(files.at('records.db'));
    database.exec('pragma journal_mode = wal; create table kept (value text)');
    const before = readFileSync(files.at('records.db'));
    for (const path of [
      'records.db',
      './records.db',
      'records.db-wal',
      'records.db-shm',
      'records.db-journal',
    ])
      assert.equal(errorOf(await call(files, path, 'x')).code, 'policy.denied', path);
    for (const path of ['records.db', 'records.db-wal', 'records.db-shm'])
      for (const output of [
        await callBuiltin(read, { file_path: path }, { workspace: files.path }),
        await callBuiltin(
          edit,
          { file_path: path, old_string: 'a', new_string: 'b' },
          { workspace: files.path },
        ),
      ])
        assert.equal(errorOf(output).code, 'usage.bad-input', path);
    assert.deepEqual(readFileSync(files.at('records.db')), before);
    for (const path of ['plain.db', 'plain.db-wal']) doneOf(await call(files, path, 'other'));
  });

  test('replaces a file and keeps its mode', async () => {
    using files = tree({ 'run.sh': 'old' });
    chmodSync(files.at('run.sh'), 0o751);
    const output = doneOf(await call(files, 'run.sh', 'n'));
    assert.equal(output.text, 'Replaced "run.sh", 1 byte.');
    assert.equal(statSync(files.at('run.sh')).mode & 0o7777, 0o751);
    assert.equal(readFileSync(files.at('run.sh'), 'utf8'), 'n');
  });

  test('writes what a link leads to and keeps the link, inside only', async () => {
    using outside = tree({ 'a.txt': 'untouched' });
    using files = tree({ 'real/a.txt': 'old' });
    symlinkSync('real/a.txt', files.at('link.txt'));
    symlinkSync('real', files.at('folder'));
    symlinkSync(outside.at('a.txt'), files.at('file-out'));
    symlinkSync(outside.at('new.txt'), files.at('new-out'));
    symlinkSync(outside.path, files.at('folder-out'));
    doneOf(await call(files, 'link.txt', 'new'));
    assert.equal(readlinkSync(files.at('link.txt')), 'real/a.txt');
    assert.equal(readFileSync(files.at('real/a.txt'), 'utf8'), 'new');
    doneOf(await call(files, 'folder/deep/b.txt', 'b'));
    assert.equal(readFileSync(files.at('real/deep/b.txt'), 'utf8'), 'b');
    for (const path of [
      'file-out',
      'folder-out/a.txt',
      'folder-out/x/y',
      '../x',
      outside.at('x'),
      '/tmp/../x',
    ]) {
      assert.equal(errorOf(await call(files, path, 'BAD')).code, 'policy.denied', path);
    }
    assert.match(errorOf(await call(files, 'new-out', 'BAD')).message, /"new-out" is a broken link/);
    assert.deepEqual(readdirSync(outside.path), ['a.txt']);
    assert.equal(readFileSync(outside.at('a.txt'), 'utf8'), 'untouched');
    assert.ok(lstatSync(files.at('new-out')).isSymbolicLink());
  });

  test('does not reach a file outside through a second name of it', async () => {
    using outside = tree({ 'a.txt': 'untouched' });
    using files = tree();
    linkSync(outside.at('a.txt'), files.at('a.txt'));
    doneOf(await call(files, 'a.txt', 'new'));
    assert.equal(readFileSync(outside.at('a.txt'), 'utf8'), 'untouched');
  });

  test('refuses folders, paths through files and what is marked as read-only', async () => {
    using files = tree({ 'a/b': '', locked: 'stays' });
    chmodSync(files.at('locked'), 0o444);
    assert.match(errorOf(await call(files, 'a', 'x')).message, /"a" is a folder/);
    assert.match(errorOf(await call(files, '.', 'x')).message, /is a folder/);
    assert.match(
      errorOf(await call(files, 'a/b/c', 'x')).message,
      /"a\/b\/c" uses a file as if it were a folder/,
    );
    assert.match(errorOf(await call(files, 'x'.repeat(300), 'x')).message, /too long/);
    assert.equal(errorOf(await call(files, 'locked', 'x')).code, 'policy.denied');
    assert.equal(readFileSync(files.at('locked'), 'utf8'), 'stays');
    assert.deepEqual(readdirSync(files.path).sort(), ['a', 'locked']);
  });

  test('changes nothing in .git and .skilled, by whatever path', async () => {
    using files = tree({
      '.git/config': 'x',
      '.skilled/settings.json': '{}',
      'sub/.git': 'gitdir: elsewhere',
    });
    symlinkSync('.git', files.at('innocent'));
    const paths = [
      ...['.git/hooks/pre-commit', '.git/config', '.skilled/settings.json', 'sub/.git', 'new/.git/hooks/x'],
      ...['innocent/config', 'innocent/hooks/x', 'a/../.git/config', '.GIT/config', '.skilled'],
      ...[
        '.\u017fkilled/settings.json',
        '.s\u212ailled/settings.json',
        '.g\u200cit/config',
        '.git\u{e0001}/config',
      ],
      ...['.git::$INDEX_ALLOCATION/config', 'GIT~1/config', 'SKILLE~1/settings.json', '.\uff47it/config'],
    ];
    for (const path of paths) {
      const error = errorOf(await call(files, path, 'BAD'));
      assert.equal(error.code, 'policy.denied', path);
    }
    assert.deepEqual(readdirSync(files.path).sort(), ['.git', '.skilled', 'innocent', 'sub']);
    assert.deepEqual(readdirSync(files.at('.git')), ['config']);
    doneOf(await call(files, '.github/workflows/a.yml', 'fine'));
    doneOf(await call(files, '.gitignore', 'fine'));
  });

  test('needs a workspace', async () => {
    const error = errorOf(await callBuiltin(write, { file_path: '/tmp/x', content: '' }, {}));
    assert.match(error.message, /^This run has no workspace/);
  });

  test('is meant by rules with patterns, and does not run beside others', () => {
    assert.ok(isMeant(write, 'docs/*.md', { file_path: './docs/a.md', content: '' }));
    assert.ok(!isMeant(write, 'docs/*.md', { file_path: 'docs/a/b.md', content: '' }));
    assert.equal(write.sequential, true);
  });
});
