import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, askAbout, codeOf, done, ofType } from '../../../../test/support/kernel.ts';
import { leaf, userTexts } from '../../../../test/support/loop-stage.ts';
import { sopPlanner, sopStage } from '../../../../test/support/sop-stage.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Approval } from '../../../core/policy.ts';
import type { RunResult } from '../../../core/run.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';

/** Gives the same decision to every approval of a run until it ends. */
async function decideAll(
  agent: RecursiveSkilledAgent,
  result: RunResult,
  approval: Approval,
): Promise<RunResult> {
  let last = result;
  while (last.status === 'waiting') {
    await agent.runs.approve(last.runId, last.question?.id ?? '', approval);
    last = await agent.runs.resume(last.runId).result;
  }
  return last;
}

async function askedIn(agent: RecursiveSkilledAgent, { runId }: RunResult): Promise<number> {
  return ofType(await agent.runs.events(runId), 'approval.requested').length;
}

describe('what a plan of a model may name', () => {
  const secret = leaf((input: Json) => done(`secret ${JSON.stringify(input)}`), {
    disableModelInvocation: true,
  });

  for (const command of ['secret', 'explicit:secret', 'secret-function', 'run-sop', 'bundled:run-sop'])
    test(`does not include "${command}", which no model may choose`, async () => {
      const plan = `@x ${command} "@y secret z"\n@a final_answer $x`;
      const model = createScriptedModel(Array<string>(6).fill(plan));
      const { allowedSkills: _all, ...planner } = sopPlanner([]) as Record<string, unknown>;
      await using agent = agentWith({ secret, planner }, { models: { plan: model } });
      const result = await agent.run({ skill: 'planner' }).result;
      assert.equal(codeOf(result), 'model.bad-answer');
      assert.ok(userTexts(model.requests[1]).at(-1)?.includes(`Unknown command "${command}".`));
      assert.doesNotMatch(model.requests[0]?.system ?? '', /secret|run-sop/);
      assert.equal(ofType(await agent.runs.events(result.runId), 'frame.started').length, 1);
    });

  test('is for a person all there is', async () => {
    await using agent = agentWith({ secret });
    const { text } = await agent.run({ skill: 'run-sop', input: { script: '@x secret z' } }).result;
    assert.equal(text, 'secret "z"');
  });

  for (const line of ['@x bash $name', '@x bash command=$name', '@x each $names bash', '@x bash ls $name'])
    test(`does not insert values into a shell: ${line}`, async () => {
      const plan = `@name assign ls\n@names assign x\n${line}\n@a final_answer $x`;
      const model = createScriptedModel(Array<string>(6).fill(plan));
      await using agent = agentWith({ planner: sopPlanner(['bash']) }, { models: { plan: model } });
      assert.equal(codeOf(await agent.run({ skill: 'planner' }).result), 'model.bad-answer');
      assert.match(userTexts(model.requests[1]).at(-1) ?? '', /"bash" accepts only literal arguments/);
    });
});

describe('an approval', () => {
  const skills = (did: Json[]) => ({
    list: leaf(() => done('', ['a', 'b', 'c'])),
    charge: leaf((input: string) => {
      did.push(input);
      return done(`charged ${input}`);
    }),
  });
  const plan = '@l list x\n@all each $l charge\n@a final_answer $all';

  test('for once is for one item, and for the run for all', async () => {
    for (const [allow, decided] of [
      ['once', 3],
      ['run', 1],
    ] as const) {
      const did: Json[] = [];
      await using on = sopStage([plan], skills(did), {
        concurrency: 1,
        options: { policy: askAbout('charge') },
      });
      const result = await decideAll(on.agent, await on.agent.run({ skill: 'planner' }).result, { allow });
      assert.deepEqual([result.status, did.toSorted()], ['done', ['a', 'b', 'c']]);
      assert.equal(ofType(await on.agent.runs.events(result.runId), 'run.resumed').length, decided);
    }
  });

  test('for once is spent by a step that failed: a new plan that keeps it asks again', async () => {
    let tries = 0;
    const flaky = leaf(() => {
      tries += 1;
      if (tries === 1) throw new AgentError('skill.failed', 'Busy.');
      return done('charged');
    });
    const keeping = '@x flaky 5\n@a final_answer $x';
    await using on = sopStage([keeping, keeping], { flaky }, { options: { policy: askAbout('flaky') } });
    const result = await decideAll(on.agent, await on.agent.run({ skill: 'planner' }).result, {
      allow: 'once',
    });
    assert.deepEqual([result.text, tries, await askedIn(on.agent, result)], ['charged', 2, 2]);
  });

  test('that was refused is asked for again once for each plan that keeps the step, and nothing happens', async () => {
    const did: Json[] = [];
    const keeping = '@x charge 5\n@a final_answer $x';
    await using on = sopStage(Array<string>(3).fill(keeping), skills(did), {
      options: { policy: askAbout('charge') },
    });
    const result = await decideAll(on.agent, await on.agent.run({ skill: 'planner' }).result, {
      deny: 'No.',
    });
    assert.deepEqual([codeOf(result), did, await askedIn(on.agent, result)], ['policy.denied', [], 3]);
  });
});
