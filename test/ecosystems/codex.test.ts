import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, openProject, reported } from './open-project.ts';

// A project of Codex: its own folder, the shared folder, and the user's.

test('a project of Codex has its skills and those of its user', async () => {
  await using project = await openProject('codex');
  assert.deepEqual(listed(project), [
    'project agent-skill patch-review',
    'project agent-skill release-check',
    'user agent-skill daily-plan',
  ]);
  // `shell` and `apply_patch` are built-ins of skilled; there is no task list.
  assert.deepEqual(reported(project), ['list.unavailable-tool project/.codex/skills/patch-review/SKILL.md']);
});
