import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sources } from '../core/skill.ts';
import { needsTrust } from './needs-trust.ts';

test('trust is needed by code that a project, a plugin or a server brings, and by all that a server offers', () => {
  const needing = (runsCode: boolean, made = false): readonly string[] =>
    sources.filter((source) => needsTrust({ source, runsCode, made }));
  assert.deepEqual(needing(true), ['project', 'plugin', 'mcp']);
  assert.deepEqual(needing(false), ['mcp']);
  assert.deepEqual(needing(false, true), []);
});
