import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownFields } from '../../families/agent-skill/lint.ts';
import { isSubagentKey } from '../../families/subagent/settings.ts';
import { findUnusedField, unusedFields } from './unused-fields.ts';

test('each field that is not acted on has a reason, and is not a field that is', () => {
  for (const { kind, field, why } of unusedFields) {
    assert.match(why, /^[A-Z].*\.$|^maxSubagentDepth .*\.$/, field);
    assert.ok(kind === 'skill' ? !knownFields.includes(field) : !isSubagentKey(field), field);
  }
  const keys = unusedFields.map(({ program, kind, field }) => `${program} ${kind} ${field}`);
  assert.equal(new Set(keys).size, keys.length);
});

test('a field is found in any spelling, among those of its kind', () => {
  assert.equal(findUnusedField('skill', 'Command_Dispatch')?.program, 'OpenClaw');
  assert.equal(findUnusedField('agent', 'command-dispatch'), undefined);
  assert.equal(findUnusedField('skill', 'name'), undefined);
});
