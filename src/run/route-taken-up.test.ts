import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, codeOf, done, ofType, settled, textOf, type Made } from '../../test/support/kernel.ts';
import { oskillText } from '../../test/support/orchestrator-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import type { RunResult } from '../core/run.ts';
import { createScriptedModel } from '../models/scripted.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { liveThrough, type Life } from '../testing/crash-harness.ts';
import { readLog } from './read-log.ts';

const asks: Made = { run: async (_input, scope) => done(`in ${textOf(await scope.ask('Which language?'))}`) };

/** Two orchestrators between which only a model decides; the first one may say more of itself. */
function twins(more = ''): Tree {
  const text = (name: string, region: string): string =>
    oskillText(name, { Description: `Reports open orders of the ${region} region.`, Session: 'loop' });
  return tree({
    '.agents/skills/orders-north/oskill.md': text('orders-north', `northern${more}`),
    '.agents/skills/orders-south/oskill.md': text('orders-south', 'southern'),
  });
}

test('a choice that was asked for stays when the candidates say something else of themselves after a crash', async () => {
  using before = twins();
  using after = twins(' and the eastern');
  let asked = 0;
  const live = async ({ number, store }: Life): Promise<RunResult> => {
    const models = createScriptedModel(({ system = '' }) => {
      if (!system.startsWith('You choose')) return 'the report';
      asked += 1;
      return 'orders-south';
    });
    const startDir = (number === 1 ? before : after).path;
    const agent = agentWith({}, { startDir, searchUpwards: false, models, store });
    void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
    const [known] = await store.runs();
    const { result } =
      known === undefined
        ? agent.run({ prompt: 'report the open orders' })
        : agent.runs.resume(known.id, { takeOver: true });
    const ended = await result;
    await agent.shutdown();
    return ended;
  };
  // after the question is kept, after the model is asked, before and after its answer is kept
  for (const [at, when, times] of [
    [4, 'after', 1],
    [5, 'after', 1],
    [6, 'before', 2],
    [6, 'after', 1],
  ] as const) {
    asked = 0;
    const { outcome, store } = await liveThrough({ open: createMemoryStore, live }, [{ at, when }]);
    assert.equal(outcome.text, 'the report', `${at} ${when}: ${outcome.error?.message}`);
    const events = await readLog(store, outcome.runId);
    assert.equal(ofType(events, 'skill.selected')[0]?.skill, 'orders-south');
    assert.equal(ofType(events, 'candidates.ranked').length, 1);
    assert.ok(asked <= times, `asked ${asked} times`);
    await store.close();
  }
});

test('an answer finds its run although a skill was added while it waited', async () => {
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `Done: ${messages.at(-1)?.text}`
      : { calls: [{ name: 'asks', input: { input: 'x' } }] },
  );
  const store = createMemoryStore();
  const context = { sessionId: 's' };
  const first = agentWith({ asks }, { models: model, store });
  assert.equal((await settled(first.executePrompt('sing a song', { context }))).status, 'waiting');
  await first.shutdown();
  await using agent = agentWith({ asks, other: { run: () => done() } }, { models: model, store });
  const result = await settled(agent.executePrompt('French', { context }));
  assert.match(result.text, /in French$/, result.error?.message);
  assert.equal(model.requests.length, 2);
});

test('a skill that is made for a prompt cannot be called by the name that the log gives it', async () => {
  await using agent = agentWith({ asks }, { models: createScriptedModel(['never']) });
  const result = await agent.run({ skill: '(ad-hoc)', prompt: 'sing a song' }).result;
  assert.equal(codeOf(result), 'skill.not-found');
});

test('turns that nobody listens to are not kept for ever', async () => {
  const store = createMemoryStore();
  await using agent = agentWith({ says: { run: () => done() } }, { store });
  for (let turn = 0; turn < 35; turn++)
    await agent.executePrompt(`/says ${turn}`, { context: { sessionId: 's' } });
  assert.equal((await store.entries('turns/s')).size, 31); // what the next turn hears, and one that it takes away
});
