import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { tree } from '../support/tree.ts';
import { settled, until } from '../support/deadline.ts';
import { checkLog, effectsIn, startWorker } from './start-worker.ts';
import { sharedStores } from './stores.ts';

const { folder, kinds } = await sharedStores();
const cache = folder.at('cache');

for (const kind of kinds) {
  for (const listens of [true, false]) {
    const what = listens ? 'sleeps' : 'hangs and ignores its signal';
    test(
      `${kind.name}: a run in another process that ${what} is cancelled from here`,
      { skip: kind.skip },
      async () => {
        const label = `cancel-${listens}`;
        const store = kind.locate(label);
        const effects = folder.at(`${label}-${kind.name}.effects`);
        await using worker = startWorker(
          { store, effects, run: { skill: 'hang', input: { listens } } },
          cache,
        );
        await using agent = new RecursiveSkilledAgent({ store, embeddings: false });
        const { id } = await worker.line('id');
        await until(() => effectsIn(effects).length === 1, 'the effect has begun');

        assert.equal(await agent.runs.cancel(id, 'Enough.'), true);
        const log = await agent.runs.events(id);
        const { result } = await settled(worker.line('result'), 'the run in the other process');
        const end = await settled(worker.ended, 'the other process');

        assert.equal(end.code, 0, end.err);
        assert.equal(result.status, 'cancelled');
        assert.equal(result.error?.code, 'usage.cancelled');
        assert.equal(result.error.message, 'Enough.');
        assert.equal(log.filter(({ type }) => type === 'frame.started').length, 2);
        checkLog(log);
        assert.deepEqual(await agent.runs.events(id), log, 'something was appended afterwards');
        assert.deepEqual(
          effectsIn(effects).map(({ step }) => step),
          ['begun'],
        );
        assert.equal(await agent.runs.cancel(id), false, 'it can be cancelled only once');
        assert.deepEqual(await agent.runs.events(id), log);
      },
    );
  }
}

describe('in this process', () => {
  test('cancelling a run stops fifty parallel steps that listen to their signal', async () => {
    let begun = 0;
    let stopped = 0;
    const wide = defineSkill({
      name: 'wide',
      description: 'Does much at once.',
      async run(_input, scope) {
        const act = (index: number): Promise<string> =>
          scope.step(`wait-${index}`, async () => {
            begun += 1;
            try {
              await delay(600_000, undefined, { signal: scope.signal });
            } finally {
              stopped += 1;
            }
            return 'slept';
          });
        await Promise.all(Array.from({ length: 50 }, (_, index) => act(index)));
        return { status: 'done', text: 'woke' };
      },
    });
    await using agent = new RecursiveSkilledAgent({ embeddings: false });
    agent.skills.register(wide);
    const handle = agent.run({ skill: 'wide' });
    await until(() => begun === 50, 'all steps have begun');
    await handle.cancel('Enough.');
    await until(() => stopped === 50, 'all steps have stopped');
    const result = await handle.result;
    assert.equal(result.status, 'cancelled');
    assert.equal(result.error?.message, 'Enough.');
    checkLog(await agent.runs.events(handle.id));
  });

  test('a step that is being announced when the run is cancelled does not begin', async () => {
    const store = createMemoryStore();
    const latch = Promise.withResolvers<undefined>();
    const announced = Promise.withResolvers<undefined>();
    const append: typeof store.append = async (runId, epoch, events, entries) => {
      const last = await store.append(runId, epoch, events, entries);
      if (events.some(({ type }) => type === 'step.started')) {
        announced.resolve(undefined);
        await latch.promise;
      }
      return last;
    };
    let performed = 0;
    await using agent = new RecursiveSkilledAgent({ store: { ...store, append }, embeddings: false });
    agent.skills.register(
      defineSkill({
        name: 'one',
        description: 'Has one effect.',
        async run(_input, scope) {
          await scope.step('effect', () => (performed += 1));
          return { status: 'done', text: 'done' };
        },
      }),
    );
    const handle = agent.run({ skill: 'one' });
    await announced.promise;
    const cancelled = handle.cancel();
    latch.resolve(undefined);
    await cancelled;
    assert.equal((await handle.result).status, 'cancelled');
    assert.equal(performed, 0);
  });

  test('a signal that is aborted already starts nothing', async () => {
    using files = tree();
    await using agent = new RecursiveSkilledAgent({ store: files.at('runs.db'), embeddings: false });
    let calls = 0;
    agent.skills.register(
      defineSkill({
        name: 'one',
        description: 'Counts.',
        run: () => ({ status: 'done', text: String((calls += 1)) }),
      }),
    );
    const handle = agent.run({ skill: 'one', signal: AbortSignal.abort() });
    const result = await handle.result;
    assert.equal(result.status, 'cancelled');
    assert.equal(calls, 0);
    assert.deepEqual(await agent.runs.list({ preparations: true }), []);
  });

  test('cancelling a run that does not exist makes none', async () => {
    await using agent = new RecursiveSkilledAgent({ embeddings: false });
    await agent.runs.cancel('r_none').catch(() => undefined);
    assert.deepEqual(await agent.runs.list({ preparations: true }), []);
  });
});

for (const kind of kinds) {
  test(
    `${kind.name}: a process that did one run and shut down ends by itself`,
    { skip: kind.skip },
    async () => {
      const input = { lanes: 1, steps: 2, stepMs: 1 };
      const order = { store: kind.locate('alone'), effects: '', run: { skill: 'lanes', input } };
      await using worker = startWorker(order, cache);
      const { result } = await worker.line('result');
      assert.equal(result.status, 'done');
      const { code, signal, err } = await settled(worker.ended, 'the process');
      assert.deepEqual({ code, signal, err }, { code: 0, signal: null, err: '' });
    },
  );
}
