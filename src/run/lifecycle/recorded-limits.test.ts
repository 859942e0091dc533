/* eslint-disable @typescript-eslint/no-deprecated -- as in old logs */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, ofType, type Run } from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import { collect } from '../../core/model.ts';
import { recordedLimits, defaultRunLimits } from '../../core/policy/run-limits.ts';
import type { Store } from '../../core/store.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';

test('limits of a log are read by both names, and a current one goes first', () => {
  const { cost: _, ...limits } = { ...defaultRunLimits, cost: 0 };
  assert.deepEqual(recordedLimits({ ...limits, money: 2 }), { ...limits, cost: 2 });
  assert.deepEqual(recordedLimits({ ...limits, money: 2, cost: 1 }), { ...limits, cost: 1 });
  assert.deepEqual(recordedLimits({ ...limits, money: 0 }), { ...limits, cost: 0 });
  assert.equal(recordedLimits(limits), limits);
});

const spends: Run = async (_input, scope) => {
  const ask = async (text: string): Promise<string | undefined> => {
    const messages = [{ role: 'user', text }] as const;
    const { error } = await collect(scope.model('fast').stream({ messages }, scope.signal));
    return error?.code;
  };
  const first = await ask('first');
  await scope.ask('Go on?');
  return done([first, await ask('second')].map((code) => code ?? 'answered').join(', '));
};
const usage = { inputTokens: 1, outputTokens: 1, cost: 0.4 };
const models = { fast: createScriptedModel(() => ({ text: 'Yes.', usage })) };

test('a run of release 0.1 keeps its limit on money when it is resumed, and when it is run again', async () => {
  const store = createMemoryStore();
  const before = agentWith({ spends }, { store, models });
  const { runId } = await before.run({ skill: 'spends', limits: { cost: 0.3 } }).result;
  await before.shutdown();

  await using agent = agentWith({ spends }, { store: asWrittenByEarlier(store), models });
  const [begun] = ofType(await agent.runs.events(runId), 'run.started');
  assert.deepEqual([begun?.limits.cost, (begun?.limits as { money?: number }).money], [undefined, 0.3]);
  await agent.runs.answer(runId, 'yes');
  assert.equal((await agent.runs.resume(runId).result).text, 'answered, limit.money');

  const again = await agent.runs.rerun(runId).result;
  const [rerun] = ofType(await readAll(store, again.runId), 'run.started');
  assert.deepEqual([rerun?.limits.cost, Object.hasOwn(rerun?.limits ?? {}, 'money')], [0.3, false]);
  await agent.runs.answer(again.runId, 'yes');
  assert.equal((await agent.runs.resume(again.runId).result).text, 'answered, limit.money');
});

/** The store as release 0.1 would have left it. */
function asWrittenByEarlier(store: Store): Store {
  return {
    ...store,
    async *read(runId, fromSeq) {
      for await (const event of store.read(runId, fromSeq)) yield withEarlierLimits(event);
    },
  };
}

function withEarlierLimits(event: RunEvent): RunEvent {
  if (event.type !== 'run.started') return event;
  const { cost, ...limits } = event.limits;
  return cost === undefined ? event : { ...event, limits: { ...limits, money: cost } as never };
}

async function readAll(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}
