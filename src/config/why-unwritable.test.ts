import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { whyUnwritable } from './why-unwritable.ts';

test('a folder that cannot be made in one that can only be read is not said to be missing', () => {
  const missing = new Error("ENOENT: no such file or directory, mkdir '/proc/a/b'");
  assert.equal(whyUnwritable('/proc/self/a/b', missing), '/proc/self can only be read');
});

test('where the folder above can be written, the reason is that of the system', () => {
  using folder = tree();
  writeFileSync(folder.at('a'), '');
  assert.equal(whyUnwritable(folder.at('b', 'c'), new Error('no room')), 'no room');
});
