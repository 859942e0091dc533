import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done } from '../../../test/support/kernel.ts';
import { call, leaf } from '../../../test/support/loop-stage.ts';
import {
  orchestratorStage,
  type OrchestratorStage,
  type Sections,
} from '../../../test/support/orchestrator-stage.ts';
import type { Script } from '../../models/scripted.ts';

const files = {
  '.agents/skills/deploy/oskill.md':
    "---\ndescription: Deploys.\ndisable-model-invocation: true\nscript: '@a look $input'\nallowed-skills: look\n---\n",
};
const skills = { look: leaf(() => done('Deployed.')) };
const listed: Sections = { 'Allowed Skills': '- deploy' };
const loop: Sections = { Session: 'loop' };

function stageOf(sections: Sections, script: Script = []): OrchestratorStage {
  return orchestratorStage({ release: sections }, script, { skills, files });
}

async function hasDeployed({ agent }: OrchestratorStage): Promise<boolean> {
  const { status, runId } = await agent.run({ skill: 'release', input: 'x' }).result;
  const events = await agent.runs.events(runId);
  assert.equal(status, 'done');
  return events.some((event) => event.type === 'frame.started' && event.skill === 'deploy');
}

describe('a skill that no model may choose, on the list of an orchestrator', () => {
  test('is called by a script', async () => {
    await using on = stageOf({ ...listed, Script: '```sop\n@a deploy now\n@b final_answer $a\n```' });
    assert.equal(await hasDeployed(on), true);
  });

  test('is offered in its loop, and can be called there', async () => {
    await using on = stageOf({ ...listed, ...loop }, [
      { calls: [call('deploy', { input: 'now' })] },
      'Done.',
    ]);
    assert.equal(await hasDeployed(on), true);
    assert.deepEqual(on.offered()[0], ['deploy']);
  });

  test('is a command of its plans', async () => {
    await using on = stageOf(listed, ['@a deploy now\n@b final_answer $a', 'Deployed.']);
    assert.equal(await hasDeployed(on), true);
  });

  test('is offered to no one without such a list, but people can call it', async () => {
    await using on = stageOf(loop, Array<string>(3).fill('Done.'));
    assert.equal(await hasDeployed(on), false);
    await on.agent.run({ prompt: 'deploy now' }).result;
    assert.ok(on.offered().flat().includes('look'));
    assert.ok(!on.offered().flat().includes('deploy'));
    assert.equal((await on.agent.run({ skill: 'deploy', input: 'x' }).result).status, 'done');
  });
});
