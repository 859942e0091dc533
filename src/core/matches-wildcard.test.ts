import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesWildcard } from './matches-wildcard.ts';

test('a star stands for any characters, and for none', () => {
  for (const [pattern, text] of [
    ['', ''],
    ['*', ''],
    ['*', 'abc'],
    ['a*', 'a'],
    ['a*c', 'abbc'],
    ['*b*', 'abc'],
    ['**', 'x'],
    ['a*b*c', 'aXbYbZc'],
    ['a*', 'a*'],
  ] as const) {
    assert.equal(matchesWildcard(pattern, text), true, `${pattern} ${text}`);
  }
  for (const [pattern, text] of [
    ['', 'a'],
    ['a', ''],
    ['a*c', 'abcd'],
    ['*b', 'abc'],
    ['a.c', 'abc'],
    ['A', 'a'],
  ] as const) {
    assert.equal(matchesWildcard(pattern, text), false, `${pattern} ${text}`);
  }
});

test('it finds what an expression would find', () => {
  const few = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 12 });
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 16 });
  fc.assert(
    fc.property(few, text, (pattern, letters) => {
      const expression = new RegExp(`^${pattern.join('').replaceAll('*', '.*')}$`);
      assert.equal(matchesWildcard(pattern, letters), expression.test(letters.join('')));
    }),
    { numRuns: 2000 },
  );
});

test('many stars and a long text take no time', () => {
  assert.equal(matchesWildcard('*a'.repeat(200), `${'a'.repeat(20_000)}b`), false);
});

test('a unit is matched whole', () => {
  assert.equal(matchesWildcard(['*', ' ', 'b'], ['a', '\\ ', 'b']), false);
});
