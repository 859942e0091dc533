import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { NewEvent } from '../core/event.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { crashingStore, everyCrash, runWithCrashes, type Incarnation } from './crash-harness.ts';

const note: NewEvent = { type: 'note.added', key: 'n', message: 'here', frameId: '', at: 0 };

async function seqOf(store: Store): Promise<number> {
  const [run] = await store.runs({ ids: ['run'] });
  return run?.seq ?? 0;
}

/** Whether a promise settles before the event loop has run everything that is ready. */
async function settles(work: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const note = (): void => void (isSettled = true);
  work.then(note, note);
  for (let turns = 0; turns < 5; turns++) await turn();
  return isSettled;
}

test('without a point nothing happens but counting', async () => {
  const store = crashingStore(createMemoryStore());
  const epoch = await store.claim('run', 'me');
  assert.equal(await store.append('run', epoch, [note]), 1);
  assert.equal(await store.append('run', epoch, [note]), 2);
  assert.equal(store.appends, 2);
  assert.equal(store.isDead, false);
  assert.equal(await settles(store.crashed), false);
});

for (const [when, count] of [
  ['before', 1],
  ['after', 2],
] as const) {
  test(`a process that dies ${when} an append leaves ${count} events and learns nothing`, async () => {
    const beneath = createMemoryStore();
    const store = crashingStore(beneath, { at: 2, when });
    const epoch = await store.claim('run', 'me');
    await store.append('run', epoch, [note]);
    assert.equal(await settles(store.append('run', epoch, [note])), false);
    await store.crashed;
    assert.equal(await seqOf(beneath), count);
  });
}

test('nothing that a dead process asks settles or changes anything', async () => {
  const beneath = createMemoryStore();
  const store = crashingStore(beneath);
  const epoch = await store.claim('run', 'me');
  await store.append('run', epoch, [note]);
  const reading = store.read('run')[Symbol.asyncIterator]();
  await reading.next();
  store.kill();
  await store.crashed;
  const asked = [
    store.claim('other', 'me'),
    store.append('run', epoch, [note]),
    store.release(new Map([['run', epoch]])),
    store.runs(),
    store.remove(['run']),
    store.expire(Date.now() + 1),
    store.get('space', 'key'),
    store.set('space', 'key', 1),
    store.add('space', 'key', 1),
    store.delete('space', 'key'),
    store.clear('space'),
    store.entries('space'),
    store.close(),
    reading.next(),
    store.read('run')[Symbol.asyncIterator]().next(),
  ];
  for (const one of asked) assert.equal(await settles(one), false);
  assert.equal(await seqOf(beneath), 1);
  assert.equal((await beneath.runs()).length, 1);
  assert.equal(await beneath.get('space', 'key'), undefined);
});

test('a dead process learns that it lost its runs, so that its remaining work releases them', async () => {
  const store = crashingStore(createMemoryStore());
  const epoch = await store.claim('run', 'me');
  store.kill();
  assert.deepEqual([...(await store.beat(new Map([['run', epoch]])))], ['run']);
});

test('a process that dies while it asks whether it lost its runs gets an answer, and does not ask forever', async () => {
  const beneath = createMemoryStore();
  const slow = Promise.withResolvers<ReadonlySet<string>>();
  const store = crashingStore({ ...beneath, beat: () => slow.promise });
  const epoch = await store.claim('run', 'me');
  const beat = store.beat(new Map([['run', epoch]]));
  store.kill();
  slow.resolve(new Set());
  assert.deepEqual([...(await beat)], ['run']);
});

test('an answer that was on its way when the process died does not arrive', async () => {
  const store = crashingStore(createMemoryStore());
  const claiming = store.claim('run', 'me');
  store.kill();
  assert.equal(await settles(claiming), false);
});

test('a failure of the store reaches a living process', async () => {
  const store = crashingStore(createMemoryStore());
  await assert.rejects(store.append('run', 'no epoch', [note]), { code: 'internal.claim-lost' });
});

/** Performs three effects unless the log has them. Each effect precedes its event, or wrongly follows it. */
async function threeEffects(incarnation: Incarnation, done: string[], isCareful: boolean): Promise<string> {
  const known = await seqOf(incarnation.store);
  const epoch = await incarnation.store.claim('run', `life ${incarnation.number}`);
  for (let index = known; index < 3; index++) {
    const act = (): Promise<unknown> => incarnation.effect(() => done.push(`effect ${index}`));
    if (isCareful) await act();
    await incarnation.store.append('run', epoch, [note]);
    if (!isCareful) await act();
  }
  return 'done';
}

test('every boundary is tried on both sides, and a work that survives them all passes', async () => {
  let done: string[] = [];
  const tried: string[] = [];
  const open = (): Store => {
    done = [];
    return createMemoryStore();
  };
  const crashes = await everyCrash(
    { open, live: (incarnation) => threeEffects(incarnation, done, true) },
    async ({ outcome, store, deaths: [death] }) => {
      tried.push(death === undefined ? 'none' : `${death.when} ${death.at}`);
      assert.equal(outcome, 'done');
      assert.equal(await seqOf(store), 3);
      assert.deepEqual([...new Set(done)], ['effect 0', 'effect 1', 'effect 2']);
      assert.equal(done.length, death?.when === 'before' ? 4 : 3);
    },
  );
  assert.equal(crashes, 6);
  assert.deepEqual(tried, ['none', 'before 1', 'after 1', 'before 2', 'after 2', 'before 3', 'after 3']);
});

test('a work that forgets an effect is found out', async () => {
  let done: string[] = [];
  const open = (): Store => {
    done = [];
    return createMemoryStore();
  };
  const check = (): void => {
    assert.equal(done.length, 3);
  };
  await assert.rejects(
    everyCrash({ open, live: (incarnation) => threeEffects(incarnation, done, false) }, check),
    {
      code: 'ERR_ASSERTION',
    },
  );
});

test('several processes may die, one after another', async () => {
  const done: string[] = [];
  const work = {
    open: createMemoryStore,
    live: (incarnation: Incarnation) => threeEffects(incarnation, done, true),
  };
  const deaths = [1, 1, 1].map((at) => ({ at, when: 'before' }) as const);
  const { lives, appends } = await runWithCrashes(work, deaths);
  assert.equal(lives, 4);
  assert.equal(appends, 3);
  assert.equal(done.filter((effect) => effect === 'effect 0').length, 4);
});

test('what a dead process does to the world does not count', async () => {
  const done: number[] = [];
  const work = {
    open: createMemoryStore,
    async live({ number, store, effect }: Incarnation): Promise<void> {
      if (number === 1) {
        store.kill();
        void effect(() => done.push(number));
        await turn();
      }
      await effect(() => done.push(number));
    },
  };
  assert.equal((await runWithCrashes(work, [])).lives, 2);
  assert.deepEqual(done, [2]);
});

test('a process that fails fails the trial', async () => {
  const work = { open: createMemoryStore, live: () => Promise.reject(new Error('no way')) };
  await assert.rejects(runWithCrashes(work, []), /no way/);
});
