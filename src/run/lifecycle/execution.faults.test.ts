import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, type Run } from '../../../test/support/kernel.ts';
import { exitCodeFor } from '../../cli/runs/print-outcome.ts';
import { AgentError } from '../../core/error.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/**
 * Creates a store that fails at the first event of this type, before or after storing it, until it is repaired.
 */
function failingAt(type: string, when: 'before' | 'after' = 'before') {
  const inner = createMemoryStore();
  let isBroken = false;
  let isRepaired = false;
  const mustWork = (): void => {
    if (isBroken && !isRepaired) throw new Error('no connection');
  };
  const during =
    <Given extends readonly unknown[], Value>(call: (...given: Given) => Promise<Value>) =>
    async (...given: Given): Promise<Value> => {
      mustWork();
      const value = await call(...given);
      mustWork();
      return value;
    };
  const append: Store['append'] = async (...given) => {
    const isIt = given[2].some((event) => event.type === type);
    isBroken ||= isIt && when === 'before';
    mustWork();
    const last = await inner.append(...given);
    isBroken ||= isIt;
    mustWork();
    return last;
  };
  const { claim, beat, release, runs, get, set, add, swap, entries } = inner;
  const calls = { claim, beat, release, runs, get, set, add, swap, entries };
  const failing = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, during(call as () => Promise<unknown>)]),
  );
  const store = { ...inner, ...(failing as unknown as typeof calls), append };
  return { store, mend: () => (isRepaired = true) };
}

describe('a store that goes away', () => {
  const types = ['run.started', 'skill.selected', 'frame.started', 'step.started', 'step.ended'];
  for (const type of [...types, 'frame.ended', 'run.ended'])
    for (const when of ['before', 'after'] as const)
      test(`${when} ${type} interrupts the run, which is resumed and has each effect once`, async () => {
        const { store, mend } = failingAt(type, when);
        const attempts: string[] = [];
        const top: Run = async (_input, scope) =>
          done('', await scope.step('s', (key) => attempts.push(key)));
        await using agent = agentWith({ top }, { store });
        const run = agent.run({ skill: 'top' });
        const result = await settled(run.result);
        const { ok, status, error } = result;
        if (type === 'run.ended' && when === 'after') {
          assert.equal(status, 'done'); // The handle has already read the end.
          return;
        }
        assert.deepEqual([ok, status, error?.code], [false, 'interrupted', 'sandbox.store']);
        assert.deepEqual(error?.details, { interrupted: run.id });
        assert.equal(exitCodeFor(result), 130);
        mend();
        const isUnknown = type === 'run.started' && when === 'before';
        const again = await settled(
          (isUnknown ? agent.run({ skill: 'top' }) : agent.runs.resume(run.id)).result,
        );
        assert.equal(again.status, 'done');
        const log = await agent.runs.events(again.runId);
        assert.equal(ofType(log, 'step.ended').length, 1);
        assert.equal(ofType(log, 'run.ended').length, 1);
        // Only an effect whose end was not stored is repeated, with the same key.
        assert.equal(attempts.length, type === 'step.ended' && when === 'before' ? 2 : 1);
        assert.equal(new Set(attempts).size, 1);
      });

  for (const method of ['get', 'entries', 'runs'] as const)
    test(`when a turn of a session uses "${method}" interrupts it, and it can be asked again`, async () => {
      const store = createMemoryStore();
      let left = Infinity; // the calls that still succeed
      const failing = async (...given: never[]): Promise<never> => {
        if ((left -= 1) < 0) throw new AgentError('sandbox.store', 'no connection');
        return (store[method] as (...all: never[]) => Promise<never>)(...given);
      };
      const count: Run = async (_input, scope) => {
        const next = Number((await scope.memory.get('n')) ?? 0) + 1;
        scope.memory.set('n', next);
        return done('', next);
      };
      await using agent = agentWith({ count }, { store: { ...store, [method]: failing } });
      const ask = () => settled(agent.run({ prompt: '/count', session: 's' }).result);
      assert.equal((await ask()).value, 1);
      for (let working = 0, expected = 2; working < 4; working += 1) {
        left = working;
        let result = await ask();
        left = Infinity;
        if (result.status !== 'done') {
          assert.deepEqual([result.status, result.error?.code], ['interrupted', 'sandbox.store']);
          const [known] = await agent.runs.list({ ids: [result.runId] });
          result = known === undefined ? await ask() : await settled(agent.runs.resume(result.runId).result);
        }
        assert.deepEqual([result.status, result.value], ['done', expected]);
        expected += 1;
      }
    });

  test('at run.waiting leaves the run interrupted, and it asks again', async () => {
    const { store, mend } = failingAt('run.waiting');
    const top: Run = async (_input, scope) => done('', await scope.ask('x'));
    await using agent = agentWith({ top }, { store });
    const { runId, status, error } = await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual([status, error?.code], ['interrupted', 'sandbox.store']);
    mend();
    assert.equal((await settled(agent.runs.resume(runId).result)).status, 'waiting');
  });

  test('for one append goes unnoticed, whether or not the append was stored', async () => {
    for (const isStored of [false, true]) {
      const store = createMemoryStore();
      let appends = 0;
      const append: Store['append'] = async (...given) => {
        const isFailing = ++appends % 2 === 0;
        if (isFailing && !isStored) throw new Error('no connection');
        const last = await store.append(...given);
        if (isFailing) throw new Error('no connection');
        return last;
      };
      const top: Run = async (_input, scope) => {
        for (let step = 0; step < 5; step += 1) await scope.step(`s${step}`, () => step);
        return done('all');
      };
      await using agent = agentWith({ top }, { store: { ...store, append } });
      const { text, runId } = await settled(agent.run({ skill: 'top' }).result);
      assert.equal(text, 'all');
      const log = await agent.runs.events(runId);
      assert.deepEqual(
        log.map(({ seq }) => seq),
        log.map((_, index) => index + 1),
      );
      assert.equal(ofType(log, 'step.ended').length, 5);
      assert.ok(appends > 6);
    }
  });
});
