import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOutput } from './build-output.ts';

test('what came of a generation says when types could not be checked', () => {
  const plan = { files: [], orphans: ['old.ts'] };
  const checks = { syntax: 'passed', types: 'absent', tests: 'none' } as const;
  assert.equal(buildOutput(plan, checks).text, '1 file removed. Types were not checked.');
  assert.equal(buildOutput(plan, { ...checks, types: 'passed' }).text, '1 file removed.');
  assert.equal(buildOutput().text, 'There is nothing to generate.');
});
