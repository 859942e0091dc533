import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import { budgetOf, type CatalogLimits } from './limits.ts';

test('the defaults are 150 skills and 30,000 characters; tokens are free', () => {
  assert.deepEqual(budgetOf({}), { maxSkills: 150, maxChars: 30_000, maxTokens: Infinity });
});

test('a share of the context window is a limit of tokens, and the lower limit counts', () => {
  assert.equal(budgetOf({ contextWindow: 200_000 }).maxTokens, 4000);
  assert.equal(budgetOf({ contextWindow: 10_000, windowShare: 0.5 }).maxTokens, 5000);
  assert.equal(budgetOf({ contextWindow: 200_000, maxTokens: 99 }).maxTokens, 99);
  assert.equal(budgetOf({ contextWindow: 0 }).maxTokens, 0);
});

test('what is no size is refused by name', () => {
  const bad: readonly CatalogLimits[] = [
    { maxSkills: NaN },
    { maxChars: -1 },
    { maxTokens: '9' as unknown as number },
    { contextWindow: -Infinity },
    { windowShare: 1.5 },
  ];
  for (const limits of bad) {
    assert.throws(
      () => budgetOf(limits),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'usage.bad-input' &&
        thrown.message.includes(Object.keys(limits)[0]!) &&
        thrown.hint !== undefined,
    );
  }
});
