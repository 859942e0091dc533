import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { makeSkilledFolder } from './skilled-folder.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

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
