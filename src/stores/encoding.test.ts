import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressOf, decodeText, encodeText, longTextOf } from './encoding.ts';

const any = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0x5c, 0x75, 0xd800, 0xdc00)))
  .map((units) => String.fromCharCode(...units));

test('any string comes back, and its text holds nothing that a database changes', () => {
  fc.assert(
    fc.property(any, (text) => {
      const encoded = encodeText(text);
      assert.equal(decodeText(encoded), text);
      assert.ok(encoded.isWellFormed() && !encoded.includes('\0'));
      assert.equal(decodeText(longTextOf(text) ?? addressOf(text)), text);
    }),
  );
});

test('ordinary strings stay readable, and long ones have short addresses', () => {
  for (const text of ['', 'demo', 'übung 天气 😀', "it's"]) assert.equal(addressOf(text), text);
  const [one, other] = ['x'.repeat(10_000), `${'x'.repeat(9_999)}y`];
  assert.notEqual(addressOf(one), addressOf(other));
  assert.equal(addressOf(one).length, 66);
});
