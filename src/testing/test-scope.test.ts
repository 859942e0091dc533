import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestScope } from './test-scope.ts';

test('a test scope has the user and session that a run is given', () => {
  const { run, context } = createTestScope({ user: { id: 'ann', roles: ['editor'] }, session: 's' });
  assert.deepEqual([run.roles, run.session, context.sessionId], [['editor'], 's', 's']);
});

test('a test scope takes roles as in release 0.1', () => {
  assert.deepEqual(createTestScope({ roles: ['editor'] }).run.roles, ['editor']);
});
