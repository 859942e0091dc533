import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOldWords } from '../scripts/count-old-words.ts';

test('no name of the project has a word of the old vocabulary', () => {
  const { found, unused } = countOldWords();
  assert.deepEqual(found, []);
  assert.deepEqual(unused, [], 'exceptions that match nothing');
});
