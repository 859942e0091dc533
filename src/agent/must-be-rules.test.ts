import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith } from '../../test/support/kernel.ts';

test('a rule that is none is refused, from options and from settings that code gives', () => {
  for (const rule of ['Bash (rm *)', 'Bash(rm *', 'Bash()', '', 'Skill("x"); Bash', 7] as string[]) {
    for (const kind of ['allow', 'ask', 'deny'] as const) {
      const permissions = { [kind]: ['Read', rule] };
      assert.throws(() => agentWith({}, { permissions }), { code: 'usage.bad-input' }, `${kind} ${rule}`);
      assert.throws(() => agentWith({}, { settings: { permissions } }), { code: 'usage.bad-input' }, rule);
    }
  }
});

test('rules are taken with room around them', () => {
  assert.ok(agentWith({}, { permissions: { deny: [' Bash(rm *) ', 'Skill(Some Name)', 'mcp__server__*'] } }));
});
