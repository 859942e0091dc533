import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listed, openProject, reported, skillOf } from './open-project.ts';

// A workspace of OpenClaw: metadata in one line of JSON, requirements, `always`, and `{baseDir}`.

describe('a workspace of OpenClaw', () => {
  test('has its skills, and says what a skill lacks', async () => {
    await using project = await openProject('openclaw');
    assert.deepEqual(listed(project), [
      'project agent-skill coin-watch',
      'project agent-skill imsg-reader unavailable',
      'project agent-skill weather-report',
    ]);
    assert.equal(skillOf(project, 'imsg-reader').missing?.length, process.platform === 'darwin' ? 1 : 2);
    assert.deepEqual(reported(project), []);
  });

  test('is not pinned into a catalog by `always`, as in OpenClaw, where it skips requirements', async () => {
    await using project = await openProject('openclaw');
    for (const name of ['coin-watch', 'weather-report'])
      assert.notEqual(skillOf(project, name).card.pinned, true, name);
  });

  test('has the folder of a skill for {baseDir}, and amounts of money as they are', async () => {
    await using project = await openProject('openclaw');
    const script = project.files.at('project/skills/weather-report/scripts/forecast.sh');
    assert.ok(project.agent.render('weather-report', {}).text.includes(`${script} "Bergen"`));
    const { text } = project.agent.render('coin-watch', { args: 'tulips 5' });
    assert.ok(text.includes('such as $0.05 or $1.2M of volume.'));
  });
});
