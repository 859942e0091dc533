import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  done,
  hang,
  ofType,
  said,
  settled,
  textOf,
  valueOf,
} from '../../../test/support/kernel.ts';
import { checkLog } from '../../../test/support/program-checks.ts';
import type { Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import type { RunResult } from '../../core/run.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash, type Incarnation } from '../../testing/crash-harness.ts';

describe('a call that its caller cancels', () => {
  test('ends at once with all below it, and the caller continues', async () => {
    const stop = new AbortController();
    let below: AbortSignal | undefined;
    await using agent = agentWith({
      deep: async (_input, { signal }) => {
        below = signal;
        setImmediate(() => stop.abort());
        return hang(signal);
      },
      middle: (_input, scope) => scope.call('deep', null),
      top: async (_input, scope) => {
        const called = await scope.call('middle', null, { signal: stop.signal });
        return done('', [said(called), said(await scope.call('other', null))]);
      },
      other: { allowedSkills: [], run: () => done('other') },
    });
    const { id, result } = agent.run({ skill: 'top' });
    assert.deepEqual(valueOf(await settled(result)), ['usage.cancelled', 'other']);
    assert.equal(below?.aborted, true);
    checkLog(await agent.runs.events(id));
  });

  test('does not begin when that was before', async () => {
    let began = false;
    await using agent = agentWith({
      late: () => {
        began = true;
        return done();
      },
      top: async (_input, scope) =>
        done(said(await scope.call('late', null, { signal: AbortSignal.abort() }))),
    });
    const { id, result } = agent.run({ skill: 'top' });
    assert.equal((await result).text, 'usage.cancelled');
    assert.equal(began, false);
    const events = await agent.runs.events(id);
    assert.equal(ofType(events, 'call.refused')[0]?.error.code, 'usage.cancelled');
    checkLog(events);
  });

  test('keeps nothing of the signal once it has ended', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') return () => void (listeners += 1);
        if (name === 'removeEventListener') return () => void (listeners -= 1);
        return Reflect.get(target, name, target) as unknown;
      },
    });
    await using agent = agentWith({
      one: { allowedSkills: [], run: () => done('one') },
      top: async (_input, scope) => done(said(await scope.call('one', null, { signal: counted }))),
    });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'one');
    assert.equal(listeners, 0);
  });

  test('has the same outcome wherever the process is killed', async () => {
    const live = async ({ number, store, effect }: Incarnation): Promise<RunResult> => {
      const act = async (input: Json, scope: Scope) =>
        done(await scope.step('act', () => effect(() => `${textOf(input)}!`)));
      const agent = agentWith(
        {
          act: { allowedSkills: [], run: act },
          never: async (_input, { signal }) => hang(signal),
          top: async (_input, scope) => {
            const stop = new AbortController();
            const called = ['never', 'never'].map((name, key) =>
              scope.call(name, null, { key: `${name}${key}`, signal: stop.signal }),
            );
            const first = await scope.call('act', 'one');
            stop.abort();
            const ends = await Promise.all(called);
            return done('', [said(first), ...ends.map(said), said(await scope.call('act', 'two'))]);
          },
        },
        { store },
      );
      void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
      const [before] = number === 1 ? [] : await store.runs({});
      const isNew = before === undefined || before.seq === 0;
      const { result } = isNew
        ? agent.run({ skill: 'top' })
        : agent.runs.resume(before.id, { takeOver: true });
      const ended = await result;
      await agent.shutdown();
      return ended;
    };
    const crashes = await everyCrash<RunResult>(
      { open: () => createMemoryStore(), live },
      async ({ outcome, store }) => {
        const [run] = await store.runs({});
        const events = [];
        for await (const event of store.read(run?.id ?? '')) events.push(event);
        checkLog(events);
        assert.deepEqual(valueOf(outcome), ['one!', 'usage.cancelled', 'usage.cancelled', 'two!']);
      },
    );
    assert.ok(crashes > 20, String(crashes));
  });
});
