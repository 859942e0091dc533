import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relevantNow } from './relevant-now.ts';

test('nothing relevant is the empty text', () => {
  assert.equal(relevantNow([]), '');
  assert.equal(relevantNow([{ name: 'a' }], { maxSkills: 0 }), '');
  assert.equal(relevantNow([{ name: 'a' }], { maxChars: 30 }), '');
  assert.equal(relevantNow([{ name: 'a' }], { maxChars: NaN }), '');
});

test('relevant skills are one line each, best first', () => {
  const text = relevantNow([
    { name: 'pdf', description: 'Fills\nforms <fast>.', whenToUse: 'A form\u200b is given.' },
    { name: 'a&b' },
  ]);
  assert.equal(
    text,
    `<relevant_skills>
- pdf: Fills forms &lt;fast&gt;. A form is given.
- a&amp;b
</relevant_skills>`,
  );
});

test('the list and its lines are bounded', () => {
  const many = Array.from({ length: 50 }, (_, n) => ({
    name: `skill-${n}`,
    description: 'word '.repeat(500),
  }));
  const text = relevantNow(many);
  assert.equal(text.split('\n').length, 7);
  assert.ok(text.length <= 1000);
  assert.equal(relevantNow(many, { maxSkills: 50, maxChars: 400 }).split('\n').length, 4);
});
