import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, openProject, reported } from './open-project.ts';

// A project of Gemini CLI. Its commands are TOML files, which are not read.

test('a project of Gemini CLI has its skills and those of its user', async () => {
  await using project = await openProject('gemini-cli');
  assert.deepEqual(listed(project), ['project agent-skill log-search', 'user agent-skill units']);
  // The other four tools of the skill are built-ins of skilled.
  assert.deepEqual(reported(project), ['list.unavailable-tool project/.gemini/skills/log-search/SKILL.md']);
});
