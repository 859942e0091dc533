import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { minute } from '../../../test/support/deadline.ts';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  hang,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunStatus } from '../../core/run.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** A store that delays each append with an event of this type until it is released. */
function holdingBack(type: string): Store & { readonly reached: Promise<undefined>; unblock(): void } {
  const store = createMemoryStore();
  const reached = Promise.withResolvers<undefined>();
  const latch = Promise.withResolvers<undefined>();
  return {
    ...store,
    reached: reached.promise,
    unblock: () => {
      latch.resolve(undefined);
    },
    async append(...given) {
      if (given[2].some((event) => event.type === type)) {
        reached.resolve(undefined);
        await latch.promise;
      }
      return store.append(...given);
    },
  };
}

async function statusOf(agent: RecursiveSkilledAgent, runId: string): Promise<RunStatus> {
  return (await agent.runs.find(runId)).status;
}

describe('shutting down', () => {
  test('leaves a run alone that got its answer while it was suspended', async () => {
    const store = holdingBack('run.waiting');
    let isOver = false;
    const late: string[] = [];
    const top: Run = async (_input, scope) => {
      const answer = textOf(await scope.ask('Which?'));
      for (let index = 0; index < 20; index++) {
        await scope.step(`work ${index}`, async () => {
          if (isOver) late.push(`work ${index}`);
          await delay(1);
          return null;
        });
      }
      return done(answer);
    };
    const agent = agentWith({ top }, { store });
    const run = agent.run({ skill: 'top' });
    await store.reached;
    await agent.runs.answer(run.id, 'this one');
    const closed = agent.shutdown({ drainMs: minute });
    store.unblock();
    await settled(closed);
    isOver = true;
    const result = await settled(run.result, 'the run');
    assert.deepEqual(late, [], JSON.stringify(result));
    await using next = agentWith({ top }, { store });
    assert.equal((await settled(next.runs.resume(run.id).result)).text, 'this one');
  });

  test('releases five unfinished runs: another process resumes them at once, and waiting runs keep waiting', async () => {
    using folder = tree();
    const store = folder.at('runs.db');
    const effects: string[] = [];
    let isShutDown = false;
    const skills: Readonly<Record<string, Run>> = {
      top: async (input, scope) => {
        await scope.step('first', () => effects.push(`first ${textOf(input)}`));
        await scope.step('second', () => isShutDown || hang(scope.signal));
        return done(`done ${textOf(input)}`);
      },
      ask: async (_input, scope) => done(textOf(await scope.ask('Which?'))),
    };
    const agent = agentWith(skills, { store });
    const waits = await settled(agent.run({ skill: 'ask' }).result);
    const runs = ['a', 'b', 'c', 'd', 'e'].map((input) => agent.run({ skill: 'top', input }));
    await until(() => effects.length === 5);
    await settled(agent.shutdown({ drainMs: 0 }));
    isShutDown = true;

    await using next = agentWith(skills, { store });
    const left = await next.runs.list();
    assert.deepEqual(
      [left.filter(({ status }) => status === 'interrupted').length, await statusOf(next, waits.runId)],
      [5, 'waiting'],
    );
    const results = await settled(Promise.all(runs.map(({ id }) => next.runs.resume(id).result)));
    assert.deepEqual(
      results.map(({ text }) => text),
      ['a', 'b', 'c', 'd', 'e'].map((input) => `done ${input}`),
    );
    assert.equal(effects.length, 5, 'something that had ended was done again');
    await next.runs.answer(waits.runId, 'this one');
    assert.equal((await settled(next.runs.resume(waits.runId).result)).text, 'this one');
  });

  test('releases a run when everything on its way to the store is stored', async () => {
    const store = holdingBack('step.ended');
    let times = 0;
    const top: Run = async (_input, scope) => done(String(await scope.step('s', () => ++times)));
    const agent = agentWith({ top }, { store });
    const run = agent.run({ skill: 'top' });
    await store.reached;
    const closed = agent.shutdown({ drainMs: 0 });
    assert.equal(codeOf(await settled(run.result)), 'usage.cancelled');
    store.unblock();
    await settled(closed);
    await using next = agentWith({ top }, { store });
    assert.equal(await statusOf(next, run.id), 'interrupted');
    assert.equal((await settled(next.runs.resume(run.id).result)).text, '1');
    assert.equal(times, 1);
  });

  test('no longer claims a run that it was about to resume', async () => {
    const store = createMemoryStore();
    const [looked, latch] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const top: Run = async (_input, scope) => done(textOf(await scope.ask('Which?')));
    await using first = agentWith({ top }, { store });
    const { runId } = await settled(first.run({ skill: 'top' }).result);
    await first.runs.answer(runId, 'this one');
    const entries: Store['entries'] = async (space) => {
      looked.resolve(undefined);
      await latch.promise;
      return store.entries(space);
    };
    const second = agentWith({ top }, { store: { ...store, entries } });
    const resumed = second.runs.resume(runId);
    await looked.promise;
    const { epoch } = await first.runs.find(runId);
    await settled(second.shutdown());
    latch.resolve(undefined);
    assert.equal(codeOf(await settled(resumed.result)), 'usage.cancelled');
    assert.equal((await first.runs.find(runId)).epoch, epoch);
  });

  test('ends successfully even if the store cannot release a run', async () => {
    const store = createMemoryStore();
    const release = (): Promise<never> => Promise.reject(new Error('The disk is away.'));
    const agent = agentWith({ top: () => hang() }, { store: { ...store, release } });
    const run = agent.run({ skill: 'top' });
    await until(async () => (await agent.runs.events(run.id)).length > 1);
    await settled(agent.shutdown({ drainMs: 0 }));
    assert.equal(codeOf(await settled(run.result)), 'usage.cancelled');
    assert.equal((await store.runs())[0]?.status, 'running');
  });

  test('waits until all is closed that a preparation has open which began meanwhile', async () => {
    using files = tree({ 'skills/made/FLOW.md': flowText('made', 'x') });
    const shuttingDown = Promise.withResolvers<undefined>();
    let opened = 0;
    let closed = 0;
    const family = flowFamily({
      generation: {
        async prepare(_definition, scope) {
          await scope.resources.open('thing', 'run', async () => {
            opened++;
            return { close: () => delay(50).then(() => closed++) };
          });
          return hang(scope.signal);
        },
      },
    });
    const top: Run = async (_input, scope) => {
      await scope.step('wait', () => shuttingDown.promise.then(() => null));
      return scope.call('made', null);
    };
    const agent = agentWith({ top }, flowsIn(files.path, family));
    const run = agent.run({ skill: 'top' });
    await until(async () => (await agent.runs.events(run.id)).some(({ type }) => type === 'step.started'));
    const over = agent.shutdown({ drainMs: minute });
    shuttingDown.resolve(undefined);
    await until(() => opened === 1);
    await settled(Promise.all([over, agent.shutdown({ drainMs: 0 })]));
    assert.deepEqual([opened, closed], [1, 1]);
    assert.equal(codeOf(await run.result), 'usage.cancelled');
  });

  test('waits until followers of a run have released the store', async () => {
    const store = createMemoryStore();
    let looks = 0;
    const watched: Store = {
      ...store,
      runs: (query) => {
        looks++;
        return store.runs(query);
      },
    };
    await using first = agentWith({ top: (_input, scope) => hang(scope.signal) }, { store });
    const run = first.run({ skill: 'top' });
    await until(async () => (await first.runs.events(run.id)).length > 1);
    const second = agentWith({ top: () => done() }, { store: watched });
    const followed = second.runs.resume(run.id);
    await until(() => looks > 1);
    await settled(second.shutdown());
    const before = looks;
    assert.equal(codeOf(await settled(followed.result)), 'usage.cancelled');
    assert.equal(looks, before, 'it was still looked at');
    await first.runs.cancel(run.id);
  });

  test('tells followers of a run what happened, and not that the store is closed', async () => {
    using folder = tree();
    const store = folder.at('runs.db');
    await using first = agentWith({ top: (_input, scope) => hang(scope.signal) }, { store });
    const run = first.run({ skill: 'top' });
    await until(async () => (await first.runs.events(run.id)).length > 1);
    const second = agentWith({ top: () => done() }, { store });
    const followed = second.runs.resume(run.id);
    for await (const event of followed.events) if (event.type === 'frame.started') break;
    await settled(second.shutdown());
    assert.equal(codeOf(await settled(followed.result)), 'usage.cancelled');
    await first.runs.cancel(run.id);
  });

  test('twice at once is the same, and the shorter time counts', async () => {
    const agent = agentWith({ top: () => hang() }, {});
    const run = agent.run({ skill: 'top' });
    await until(async () => (await agent.runs.events(run.id)).length > 1);
    await settled(Promise.all([agent.shutdown({ drainMs: 600_000 }), agent.shutdown({ drainMs: 20 })]));
    assert.equal(codeOf(await settled(run.result)), 'usage.cancelled');
    await settled(agent.shutdown());
  });

  test('lets the first run end that was begun in the same breath', async () => {
    const agent = agentWith({ top: () => done('in time') });
    const run = agent.run({ skill: 'top' });
    await settled(agent.shutdown());
    assert.equal((await settled(run.result)).text, 'in time');
  });
});
