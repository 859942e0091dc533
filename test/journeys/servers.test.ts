import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Model } from '../../src/core/model.ts';
import { optional } from '../../src/core/collections.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { checkRecordedLog } from '../support/stored-log.ts';
import { agentWith, askAbout } from '../support/kernel.ts';
import { call } from '../support/loop-stage.ts';
import { shownTree } from '../support/shown-tree.ts';
import { tree } from '../support/tree.ts';

// One server call per turn, because the order of several answers is not deterministic.
const turns = [
  {
    calls: [
      call('city-get-structured-content', { location: 'Chicago' }),
      call('city-get-sum', { a: 'two', b: 3 }),
    ],
  },
  { calls: [call('city-get-tiny-image', {})] },
  { calls: [call('city-get-resource-reference', { resourceId: -1 })] },
  { calls: [call('city-trigger-long-running-operation', { duration: 0.1, steps: 1 })] },
  { calls: [call('city-get-sum', { a: 2, b: 3 })] },
  'Light rain.',
];

const lastTree = `
✓ day-desk "Chicago"  2,139 tok
├ · Plan 1: 3 steps.
├ ✓ outlook-desk "Chicago"  2,139 tok
│ ├ · The tool "simulate-research-query" can only be used as a task.
│ ├ ⊘ city.get-sum usage.bad-input: Invalid input for "city.get-sum": a must b…
│ ├ ✓ city.get-structured-content {"location":"Chicago"}
│ ├ ✓ city.get-tiny-image
│ │ └ + city.get-tiny-image/f_6e8415044af6ca49-2
│ ├ ✗ city.get-resource-reference server.failed: "city.get-resource-reference" failed: Invali…
│ ├ ✓ city.trigger-long-running-operation {"duration":0.1,"steps":1}
│ │ └ · Progress: 1 of 1
│ └ ✓ city.get-sum {"a":2,"b":3}
├ ✓ note-desk "Light rain."
│ ├ · Plan 1: 3 steps.
│ ├ ✓ notes.create_entities {"entities":[{"name":"day","entityType":"plan","observation…
│ ├ ✓ notes.search_nodes {"query":"sunny"}
│ └ · @last is set
└ · @last is set`;

describe('tools of servers below an orchestrator', { skip: withoutBubblewrap, concurrency: true }, () => {
  test('have the log that was kept: a loop, a plan, a picture, a failure, progress, an approval', async () => {
    await using agent = dayAgent(createScriptedModel(turns, { id: 'scripted/day' }));
    const runId = await ask(agent);
    await decide(agent, runId);
  });

  test('have the same log where another agent continues after the approval, with servers of its own', async () => {
    using folder = tree();
    const model = createScriptedModel(turns, { id: 'scripted/day' });
    const open = (): RecursiveSkilledAgent => dayAgent(model, folder.at('runs.db'));
    let runId: string;
    {
      await using agent = open();
      runId = await ask(agent);
    }
    await using agent = open();
    await decide(agent, runId);
    assert.equal(model.requests.length, turns.length);
  });
});

function dayAgent(models: Model, store?: string): RecursiveSkilledAgent {
  const startDir = join(import.meta.dirname, 'fixtures', 'servers');
  const policy = askAbout('city.get-sum');
  const limits = { callSeconds: 100, runSeconds: 200 }; // servers start slowly on a busy machine
  return agentWith(
    {},
    { startDir, searchUpwards: false, policy, models, limits, ...optional('store', store) },
  );
}

/** Runs the skill until a person must decide. */
async function ask(agent: RecursiveSkilledAgent): Promise<string> {
  const { runId, question, error } = await agent.run({ skill: 'day-desk', input: 'Chicago' }).result;
  assert.equal(question?.asks?.skill, 'city.get-sum', JSON.stringify(error));
  return runId;
}

/** Approves the call, and runs the skill until it ends. */
async function decide(agent: RecursiveSkilledAgent, runId: string): Promise<void> {
  const { question } = await agent.runs.result(runId);
  await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
  const { text, error } = await agent.runs.resume(runId).result;
  assert.equal(text, 'Light rain. Kept as day', JSON.stringify(error));
  const events = await agent.runs.events(runId);
  assert.equal(shownTree(events), lastTree);
  checkRecordedLog('servers', events);
}
