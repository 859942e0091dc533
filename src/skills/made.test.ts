import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineSkill } from '../core/define-skill.ts';
import { builtinFamilies } from '../families/index.ts';
import { applicantOf } from './made.ts';

test('the card of a skill made in code says that its calls run alone, where they do', () => {
  const made = { name: 'made', description: 'Made.', instructions: 'Do it.' };
  const cardOf = (sequential: boolean | undefined): object =>
    applicantOf(
      defineSkill({ ...made, ...(sequential === undefined ? {} : { sequential }) }),
      builtinFamilies,
      'explicit',
    ).draft.card;
  assert.deepEqual(cardOf(true), { description: 'Made.', sequential: true });
  assert.deepEqual(cardOf(false), { description: 'Made.' });
  assert.deepEqual(cardOf(undefined), { description: 'Made.' });
});
