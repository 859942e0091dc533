import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, ofType, type Run } from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import { collect } from '../../core/model.ts';
import { defaultRunLimits, recordedLimits, recordLimits } from '../../core/policy/run-limits.ts';
import type { Store } from '../../core/store.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';

test('limits keep their recorded name in logs', () => {
  const limits = { ...defaultRunLimits, cost: 0 };
  const { cost, ...others } = limits;
  assert.deepEqual(recordLimits(limits), { ...others, money: cost });
  assert.deepEqual(recordedLimits(recordLimits(limits)), limits);
  assert.deepEqual(recordedLimits(recordLimits(defaultRunLimits)), defaultRunLimits);
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

test('a run keeps its cost limit when it is resumed, and when it is run again', async () => {
  const store = createMemoryStore();
  const before = agentWith({ spends }, { store, models });
  const { runId } = await before.run({ skill: 'spends', limits: { cost: 0.3 } }).result;
  await before.shutdown();

  await using agent = agentWith({ spends }, { store, models });
  const [begun] = ofType(await agent.runs.events(runId), 'run.started');
  assert.equal(begun?.limits.money, 0.3);
  await agent.runs.answer(runId, 'yes');
  assert.equal((await agent.runs.resume(runId).result).text, 'answered, limit.money');

  const again = await agent.runs.rerun(runId).result;
  const [rerun] = ofType(await readAll(store, again.runId), 'run.started');
  assert.equal(rerun?.limits.money, 0.3);
  await agent.runs.answer(again.runId, 'yes');
  assert.equal((await agent.runs.resume(again.runId).result).text, 'answered, limit.money');
});

async function readAll(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}
