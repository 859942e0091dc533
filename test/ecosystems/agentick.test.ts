import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listed, openProject, reported, skillOf } from './open-project.ts';

// Skills of Agentick: declared arguments, its variables and its limits.

describe('skills of Agentick', () => {
  test('are read with their fields', async () => {
    await using project = await openProject('agentick');
    assert.deepEqual(listed(project), ['project agent-skill diff', 'project agent-skill standards']);
    assert.deepEqual(reported(project), []);
    const { card } = skillOf(project, 'standards');
    assert.deepEqual(card.argumentNames, ['file', 'team']);
    assert.equal(card.whenToUse, 'Before a merge.');
  });

  test('are filled by name, by position and as a whole', async () => {
    await using project = await openProject('agentick');
    const { text } = project.agent.render('standards', { args: 'app.ts web' });
    const page = project.files.at('project/.agents/skills/standards/references/web.md');
    assert.equal(text.trim(), `Check app.ts against ${page}. All arguments: app.ts web; the first: app.ts.`);
  });

  test('run their commands when they are used', async () => {
    await using project = await openProject('agentick', {}, ['Nothing changed.']);
    const rendering = project.agent.render('diff', {});
    assert.deepEqual(rendering.commands, [{ command: 'git status --short', ran: false }]);
  });
});
