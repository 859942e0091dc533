import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { openModels } from '../../src/config/models/open-models.ts';
import type { RunResult } from '../../src/core/run.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/models/scripted.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { resultOf } from '../../src/views/run-result.ts';
import { foldRun } from '../../src/views/run-tree.ts';
import { checkRecordedLog } from '../support/stored-log.ts';
import { goodKey, providerKinds } from '../support/provider-stage.ts';
import { shownTree } from '../support/shown-tree.ts';
import { prompts, tourAgent, turnFor } from '../support/tour-stage.ts';
import { tree } from '../support/tree.ts';

const session = 'ann';
const context = { sessionId: session };
const firstTree = `
✓ tour-desk "Plan a bicycle tour for the two of us on Sunday."  9,090 tok  $0.10
├ · Plan 1: 3 steps.
├ ✓ bicycle-desk "Two large bicycles"  7,070 tok  $0.08
│ ├ ✓ stock
│ ├ ⊘ invoice usage.not-found: There is no tool "invoice".
│ ├ ✓ helmet-advice "two adults"  1,010 tok  $0.01
│ ├ ✓ ask-user {"question":"With helmets?","options":["yes","no"]}
│ └ ✓ reserve {"size":"large","count":2}
│   └ ⊘ price policy.denied: "reserve" may not call "price".
├ ✓ price {"count":2}
└ · @last is set`;
const nextTree = `
✓ tour-desk "Plan the tour with our child as well: what does it cost th…  1,010 tok  $0.01
├ · Plan 1: 4 steps.
├ · @bikes was reused from an earlier run
├ · @price was reused from an earlier run
├ ✓ price {"count":3}
└ · @last is set`;

describe('a prompt that goes through a plan, a loop and a skill', () => {
  test('has the log that was kept: ranking, repair, preparation, refusals, question, answer, memory', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 }); // the memory records when something was said
    await using agent = tourAgent({ models: touring() });
    const { first, next } = await hold(agent);
    checkRecordedLog('orchestrating', await agent.runs.events(first.runId));
    checkRecordedLog('orchestrating-next', await agent.runs.events(next.runId));
  });

  for (const kind of providerKinds.slice(1)) {
    test(`has the same result with ${kind.name}: text, variables, tree and bill`, async () => {
      await using server = await openModelServer(({ body }) => turnFor(body));
      const { options, environment } = kind.setUp(server.url, goodKey);
      await using agent = tourAgent({ models: openModels(options, { environment }) });
      await hold(agent);
      assert.equal(server.requests.length, 10);
    });
  }

  test('continues in another agent on the same file after each prompt, and nothing is done or asked again', async () => {
    using folder = tree();
    const model = touring();
    const booked: string[] = [];
    const open = (): RecursiveSkilledAgent =>
      tourAgent({ models: model, store: folder.at('runs.db') }, (what) => booked.push(what));
    const results: RunResult[] = [];
    for (const prompt of [prompts.first, prompts.answer, prompts.next]) {
      await using agent = open();
      results.push(await agent.executePrompt(prompt, { context }));
    }
    await using agent = open();
    await checkStory(agent, results);
    assert.deepEqual([booked, model.requests.length], [['2 large'], 10]);
  });
});

/** Runs the three prompts of the session, one after the other. */
async function hold(agent: RecursiveSkilledAgent): Promise<{ first: RunResult; next: RunResult }> {
  const results: RunResult[] = [];
  for (const prompt of [prompts.first, prompts.answer, prompts.next])
    results.push(await agent.executePrompt(prompt, { context }));
  return checkStory(agent, results);
}

/** Checks the outcomes of the prompts, whichever model was asked and wherever they ran. */
async function checkStory(
  agent: RecursiveSkilledAgent,
  [asked, first, next]: readonly RunResult[],
): Promise<{ first: RunResult; next: RunResult }> {
  assert.ok(asked !== undefined && first !== undefined && next !== undefined);
  assert.deepEqual(
    [asked.status, asked.question?.text, asked.question?.path],
    ['waiting', 'With helmets?', ['tour-desk', 'bicycle-desk', 'ask-user']],
    JSON.stringify(asked.error),
  );
  assert.equal(first.runId, asked.runId);
  const bikes = 'Two large bicycles with helmets are reserved.';
  assert.equal(first.text, `${bikes} The tour costs 30 €`, JSON.stringify(first.error));
  assert.deepEqual(first.variables?.['bikes'], { status: 'success', value: bikes });
  assert.equal(next.text, 'With the child it costs 45 € instead of "30 €"', JSON.stringify(next.error));
  assert.deepEqual(next.variables?.['bikes'], { status: 'success', value: bikes });
  for (const [result, expected] of [[first, firstTree] as const, [next, nextTree] as const]) {
    const events = await agent.runs.events(result.runId);
    assert.equal(shownTree(events), expected);
    assert.deepEqual(resultOf(foldRun(events)), result);
  }
  assert.equal(await agent.getSessionMemory(session).get('price/last'), '45 €');
  return { first, next };
}

function touring(): ScriptedModel {
  return createScriptedModel(turnFor, { id: 'scripted/touring' });
}
