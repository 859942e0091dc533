import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hookCommand } from './hook-command.ts';

const place = { session: 's1', skillDir: '/skills/x', projectDir: '/work/my project' };

test('a hook names folders and session by the variables of any of the tools', () => {
  assert.deepEqual(
    hookCommand('"${CLAUDE_SKILL_DIR}"/check.sh $SKILLED_SESSION_ID ${AGENTICK_SKILL_DIR}', place),
    {
      command: '"/skills/x"/check.sh s1 /skills/x',
      environment: {},
    },
  );
});

test('a folder that a shell could misread is a variable of the process', () => {
  assert.deepEqual(hookCommand('cat "$CLAUDE_PROJECT_DIR/notes.md"', place), {
    command: 'cat "${SKILLED_HOOK_PROJECT_DIR}/notes.md"',
    environment: { SKILLED_HOOK_PROJECT_DIR: '/work/my project' },
  });
  const evil = { ...place, skillDir: '/skills/$(touch x)' };
  assert.equal(hookCommand('$SKILLED_SKILL_DIR/a', evil).command, '${SKILLED_HOOK_SKILL_DIR}/a');
});

test('other variables are for the shell', () => {
  for (const command of [
    'echo $HOME ${CLAUDE_OTHER} $SKILLED_TOOL_NAME',
    'echo $CLAUDE_SKILL_DIRS',
    'echo 1',
  ]) {
    assert.deepEqual(hookCommand(command, place), { command, environment: {} });
  }
});
