import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutEscaped, escapeXml } from './listing.ts';

const cases: readonly (readonly [what: string, text: string, most: number, cut: string])[] = [
  ['leaves what fits', 'one two', 7, 'one two'],
  ['ends at a word', 'one two three', 9, 'one two…'],
  ['ends exactly at a word', 'one two three', 8, 'one two…'],
  ['cuts a word when none ends nearby', 'x'.repeat(40), 10, `${'x'.repeat(9)}…`],
  ['splits no surrogate pair', '😀😀😀', 4, '😀…'],
  ['splits no family of emoji', 'a👩‍👩‍👧‍👦b', 6, 'a…'],
  ['splits no letter from its accent', 'aaae\u0301e\u0301', 5, 'aaa…'],
  ['splits no entity', 'aaaa&amp;bbbb', 8, 'aaaa…'],
  ['keeps an entity that fits', 'aaaa&amp;bbbb', 10, 'aaaa&amp;…'],
  ['cuts an endless character somewhere', `a${'\u0301'.repeat(500)}`, 300, `a${'\u0301'.repeat(298)}…`],
];
for (const [what, text, most, cut] of cases) {
  test(`a cut ${what}`, () => assert.equal(cutEscaped(text, most), cut));
}

test('a cut is a whole beginning, never longer than allowed, and grows with what is allowed', () => {
  const unit = fc.constantFrom('a', ' ', '&', '<', '😀', 'e\u0301', '数', '👩‍💻', 'ab', '\u0301');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 80 }), fc.integer({ min: 2, max: 120 }), (raw, most) => {
      const text = escapeXml(raw.trim().replace(/\s+/g, ' '));
      const cut = cutEscaped(text, most);
      assert.ok(cut.length <= most && cut.isWellFormed());
      if (text.length <= most) return assert.equal(cut, text);
      assert.ok(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…'));
      assert.ok(!/&[a-z]*…$/.test(cut), cut);
      assert.ok(cut.length <= cutEscaped(text, most + 1).length);
    }),
    { numRuns: 2000 },
  );
});
