import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sources } from '../core/skill.ts';
import { needsTrust } from './needs-trust.ts';

test('trust is needed by code that a project, a plugin or a server brings, and by nothing else', () => {
  const needing = sources.filter((source) => needsTrust({ source, runsCode: true }));
  assert.deepEqual(needing, ['project', 'plugin', 'mcp']);
  assert.equal(
    sources.some((source) => needsTrust({ source, runsCode: false })),
    false,
  );
});
