import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listed, openProject, reported, skillOf } from './open-project.ts';

// A project of pi and pi-subagents.

describe('a project of pi', () => {
  test('has its skills, loose files and subagents', async () => {
    await using project = await openProject('pi');
    assert.deepEqual(listed(project), [
      'project agent-skill quick-note',
      'project agent-skill safe-bash',
      'project subagent field-scout',
      'project subagent writer',
      'user agent-skill mine',
    ]);
    assert.deepEqual(reported(project), []);
  });

  test('finds a subagent by the name of its package, its own name and its alias', async () => {
    await using project = await openProject('pi');
    for (const name of ['field.scout', 'scout', 'explorer'])
      assert.equal(skillOf(project, name).name, 'field-scout', name);
  });

  test('maps the tools of pi to built-ins', async () => {
    await using project = await openProject('pi');
    assert.deepEqual(skillOf(project, 'scout').card.allowedTools, ['read', 'grep', 'glob']);
  });
});
