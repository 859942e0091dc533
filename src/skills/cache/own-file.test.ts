import assert from 'node:assert/strict';
import { readdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { readOwnFile, stampOf, writeOwnFile } from './own-file.ts';

const bytesOf = (...texts: string[]): Uint8Array[] => texts.map((text) => Buffer.from(text));

test('parts are written one after the other, and reading tells the stamp of writing', () => {
  using base = tree();
  const file = base.at('deep', 'er', 'file');
  const stamp = writeOwnFile(file, bytesOf('one ', '', 'two'));
  const read = readOwnFile(file);
  assert.equal(read.bytes.toString(), 'one two');
  assert.deepEqual([read.stamp, stampOf(file)], [stamp, stamp]);
  assert.deepEqual(readdirSync(base.at('deep', 'er')), ['file']);
});

test('every write gives another stamp, even of the same bytes', () => {
  using base = tree();
  const stamps = [1, 2, 3].map(() => writeOwnFile(base.at('file'), bytesOf('same')));
  assert.equal(new Set(stamps).size, 3);
});

test('what cannot be looked at has no stamp', () => {
  using base = tree({ file: '' });
  assert.equal(stampOf(base.at('none')), undefined);
  assert.equal(stampOf(base.at('file', 'below')), undefined);
});

test('a link is not followed', () => {
  using base = tree({ file: 'text' });
  symlinkSync(base.at('file'), base.at('link'));
  assert.throws(() => readOwnFile(base.at('link')));
});
