import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Output } from '../core/run.ts';
import type { FoundSkill } from '../core/skill.ts';
import { createTestScope } from '../testing/test-scope.ts';
import { adopt } from '../families/function/adopt.ts';
import { findSkills } from './scope-skills.ts';

async function find(found: readonly FoundSkill[], asked: unknown[] = []): Promise<Output | undefined> {
  const scope = createTestScope();
  const skills = {
    ...scope.skills,
    find: async (request: string, limit: number) => (asked.push([request, limit]), found),
  };
  return adopt(findSkills)?.run({ query: 'add numbers', limit: 3 }, { ...scope, skills });
}

test('find-skills gives a line for each skill, in order, and asks for no more than it may', async () => {
  const asked: unknown[] = [];
  const found = [
    { name: 'sum', description: 'Adds\n  numbers.' },
    { name: 'mean', description: 'Averages.' },
  ];
  const output = await find(found, asked);
  assert.deepEqual(output, { status: 'done', text: 'sum: Adds numbers.\nmean: Averages.', value: found });
  assert.deepEqual(asked, [['add numbers', 3]]);
});

test('find-skills says what to do when nothing fits', async () => {
  const output = await find([]);
  assert.deepEqual(output?.status === 'done' && output.value, []);
  assert.match(output?.text ?? '', /"add numbers".*other words/);
});
