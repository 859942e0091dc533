import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listed, openProject, skillOf } from './open-project.ts';

// A folder of AchillesAgentLib: one descriptor of each kind, and a module that skills share.

describe('a folder of Achilles', () => {
  test('has a skill for each descriptor', async () => {
    await using project = await openProject('achilles');
    assert.deepEqual(listed(project), [
      'project agent-skill plain-rules',
      'project code-skill greet',
      'project dynamic-code sums',
      'project orchestrator help-desk',
      'project table tickets',
    ]);
  });

  test('finds skills by their titles', async () => {
    await using project = await openProject('achilles');
    assert.equal(skillOf(project, 'Help desk').name, 'help-desk');
    assert.equal(skillOf(project, 'help-desk-orchestrator').name, 'help-desk');
  });

  test('passes promptText to a code skill, which imports a module beside its folder', async () => {
    await using project = await openProject('achilles');
    const run = await project.agent.executePrompt('Ann', { skillName: 'greet' });
    assert.equal(run.text, 'Hello ANN!', JSON.stringify(run.error));
  });

  test('counts a key up from 1', async () => {
    await using project = await openProject('achilles');
    const { agent } = project;
    for (const subject of ['No light', 'Too loud']) {
      const input = { operation: 'add', records: [{ subject }] };
      assert.equal((await agent.run({ skill: 'tickets', input }).result).status, 'waiting');
      const run = await agent.executePrompt('yes');
      assert.equal(run.status, 'done', run.text);
    }
    const { result } = agent.run({ skill: 'tickets', input: { operation: 'list' } });
    assert.match(JSON.stringify((await result).value), /"ticket_id":1\D.*"ticket_id":2\D/);
  });
});
