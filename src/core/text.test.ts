import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from './issue.ts';
import { decodeText, notUtf8, toLf, withoutByteOrderMark } from './text.ts';

function decode(bytes: readonly number[] | Buffer): { text: string; issues: readonly string[] } {
  const issues: Issue[] = [];
  const text = decodeText(Uint8Array.from(bytes), issues);
  return { text, issues: issues.map((issue) => `${issue.code} ${issue.level}`) };
}

test('UTF-8 is read as it is', () => {
  assert.deepEqual(decode(Buffer.from('héllo 😀')), { text: 'héllo 😀', issues: [] });
  assert.deepEqual(decode([]), { text: '', issues: [] });
});

test('byte order marks are removed and reported', () => {
  assert.deepEqual(decode(Buffer.from('\ufeffa')), { text: 'a', issues: ['text.bom info'] });
  assert.deepEqual(decode(Buffer.from('\ufeff\ufeffa')), { text: 'a', issues: ['text.bom info'] });
  assert.deepEqual(decode(Buffer.from('a\ufeff')), { text: 'a\ufeff', issues: [] });
});

test('UTF-16 with a byte order mark is read in both orders', () => {
  const little = Buffer.from('\ufeffhé😀\n', 'utf16le');
  assert.deepEqual(decode(little), { text: 'hé😀\n', issues: ['text.encoding info'] });
  assert.deepEqual(decode(Buffer.from(little).swap16()), { text: 'hé😀\n', issues: ['text.encoding info'] });
});

test('bad bytes are replaced and reported, in every encoding', () => {
  assert.deepEqual(decode([0x61, 0xff, 0x62]), { text: 'a\ufffdb', issues: ['text.encoding warning'] });
  assert.deepEqual(decode([0xe2, 0x82]), { text: '\ufffd', issues: ['text.encoding warning'] });
  assert.deepEqual(decode([0xff, 0xfe, 0x61, 0x00, 0x62]), {
    text: 'a\ufffd',
    issues: ['text.encoding info', 'text.encoding warning'],
  });
  assert.deepEqual(decode([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]), {
    text: '\ufffda',
    issues: ['text.encoding info', 'text.encoding warning'],
  });
  assert.equal(notUtf8().code, 'text.encoding');
});

test('text from memory may start with a byte order mark too', () => {
  const issues: Issue[] = [];
  assert.equal(withoutByteOrderMark('\ufeffa', issues), 'a');
  assert.equal(withoutByteOrderMark('a', issues), 'a');
  assert.equal(issues.length, 1);
});

test('every line end becomes LF', () => {
  assert.equal(toLf('a\r\nb\rc\nd\r\r\n'), 'a\nb\nc\nd\n\n');
});
