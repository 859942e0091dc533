import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done } from '../../../../test/support/kernel.ts';
import { leaf } from '../../../../test/support/loop-stage.ts';
import { sopPlanner } from '../../../../test/support/sop-stage.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { RunResult } from '../../../core/run.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { createMemoryStore } from '../../../stores/memory.ts';
import { everyCrash, type Incarnation } from '../../../testing/crash-harness.ts';

const first = `@items list three
@all each $items work
@one work "single"
@asked question "Which?"
@sent post $all $asked
@answer final_answer $sent $one`;
const second = first.replace('post', 'mail');

/** Works as one process: a session whose first plan fails, with parallel work, a list and a question. */
async function live({ number, store, effect }: Incarnation, effects: string[]): Promise<RunResult> {
  const act = (name: string) =>
    leaf(async (input: Json, scope) => {
      const said = `${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`;
      return done('', await scope.step('act', () => effect(() => (effects.push(said), `${said}!`))));
    });
  const post = leaf(() => {
    throw new AgentError('skill.failed', 'The line is down.');
  });
  const skills = {
    list: leaf(() => done('', ['a', 'b', 'c'])),
    work: act('work'),
    mail: act('mail'),
    post,
    question: leaf(async (input: string, scope) => done('', await scope.ask(input))),
  };
  const model = createScriptedModel(({ messages }) => (messages.length === 1 ? first : second));
  const planner = sopPlanner(Object.keys(skills));
  const agent = agentWith({ ...skills, planner }, { store, models: { plan: model } });
  void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
  const [before] = number === 1 ? [] : await store.runs({});
  let result =
    before === undefined || before.seq === 0
      ? await agent.run({ skill: 'planner' }).result
      : await agent.runs.resume(before.id, { takeOver: true }).result;
  while (result.status === 'waiting') {
    await agent.runs.answer(result.runId, 'This one');
    result = await agent.runs.resume(result.runId, { takeOver: true }).result;
  }
  await agent.shutdown();
  return result;
}

test('a session that is killed at any append has the same outcome, and no step happens twice', async () => {
  let effects: string[] = [];
  let expected: Json | undefined;
  const crashes = await everyCrash<RunResult>(
    {
      open: () => {
        effects = [];
        return createMemoryStore();
      },
      live: (incarnation) => live(incarnation, effects),
    },
    ({ outcome }) => {
      assert.equal(outcome.status, 'done', JSON.stringify(outcome.error));
      expected ??= outcome.value;
      assert.deepEqual(outcome.value, expected);
      const acts = [...new Set(effects)].sort();
      assert.deepEqual(acts, [
        'mail ["work a!","work b!","work c!"] This one',
        'work a',
        'work b',
        'work c',
        'work single',
      ]);
    },
  );
  assert.ok(crashes > 60, `${crashes}`);
});
