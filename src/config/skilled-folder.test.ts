import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourceUrl } from '../../test/support/source-file.ts';
import { tree } from '../../test/support/tree.ts';
import { makeSkilledFolder, whyUnwritable } from './skilled-folder.ts';

test('the folders above are made as well, and twice is once', () => {
  using files = tree();
  makeSkilledFolder(files.at('a', 'b', '.skilled'));
  makeSkilledFolder(files.at('a', 'b', '.skilled'));
  assert.deepEqual(readdirSync(files.at('a', 'b', '.skilled')), ['.gitignore']);
});

test('where nothing can be made, it fails instead of trying without end', () => {
  const module = JSON.stringify(sourceUrl('src/config/skilled-folder.ts'));
  const code = `(await import(${module})).makeSkilledFolder('/proc/self/.skilled')`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(ended.signal, null);
  assert.match(ended.stderr, /mkdir '\/proc\/self\/\.skilled'/);
});

test('a folder that cannot be made in one that is read-only is not said to be missing', () => {
  const missing = new Error("ENOENT: no such file or directory, mkdir '/proc/a/b'");
  assert.equal(whyUnwritable('/proc/self/a/b', missing), '/proc/self is read-only');
});

test('where the folder above can be written, the reason is that of the system', () => {
  using folder = tree();
  writeFileSync(folder.at('a'), '');
  assert.equal(whyUnwritable(folder.at('b', 'c'), new Error('no room')), 'no room');
});
