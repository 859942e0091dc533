import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { agentWith, done, ofType } from '../../../test/support/kernel.ts';
import type { EventBody, RunEvent } from '../../core/event.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { Journal } from './journal.ts';

const started: EventBody = { type: 'step.started', key: 's', request: 'x' };
const ended: EventBody = { type: 'step.ended', key: 's', value: 1 };
const delta: EventBody = { type: 'model.delta', key: 's', attempt: 1, text: 'a' };

/** Opens a journal on an empty store. `writes` has the types of the events of each append. */
async function open() {
  const store = createMemoryStore();
  const writes: string[][] = [];
  const append: Store['append'] = (...given) => {
    writes.push(given[2].map(({ type }) => type));
    return store.append(...given);
  };
  const journal = await Journal.open('r_starts', {
    store: { ...store, append },
    owner: 'me',
    now: Date.now,
    onBroken: assert.ifError,
  });
  const seen: string[] = [];
  journal.listen(({ type }) => seen.push(type));
  return { store, writes, journal, seen };
}

async function storedIn(store: Store): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read('r_starts')) events.push(event);
  return events;
}

describe('the start of work that may be repeated', () => {
  test('is written with the end of the work', async () => {
    const { store, writes, journal } = await open();
    await journal.addStart('f', started);
    assert.equal(journal.state.step('f', 's')?.attempts, 1);
    assert.equal(await journal.add('f', ended), 2);
    assert.deepEqual(writes, [['step.started', 'step.ended']]);
    assert.deepEqual(journal.events, await storedIn(store));
    assert.equal(journal.state.step('f', 's')?.attempts, 1);
  });

  test('is written soon if the work takes longer', async () => {
    const { writes, journal } = await open();
    await journal.addStart('f', started);
    assert.deepEqual(writes, []);
    await turn();
    await journal.isUnfinished();
    assert.deepEqual(writes, [['step.started']]);
  });

  test('is written when the journal closes', async () => {
    const { store, journal } = await open();
    await journal.addStart('f', started);
    journal.close();
    await journal.isUnfinished();
    assert.deepEqual(
      (await storedIn(store)).map(({ type }) => type),
      ['step.started'],
    );
  });

  test('is sent before what the work shows', async () => {
    const { journal, seen } = await open();
    await journal.addStart('f', started);
    journal.pass('f', delta);
    await journal.add('f', ended);
    assert.deepEqual(seen, ['step.started', 'model.delta', 'step.ended']);
  });

  test('follows what is still being written', async () => {
    const { writes, journal } = await open();
    const before = journal.add('f', { type: 'note.added', key: 'n', message: 'n' });
    await journal.addStart('f', started);
    await before;
    assert.deepEqual(writes, [['note.added'], ['step.started']]);
  });
});

test('a call of a read-only function is one write, and a call of another function is two', async () => {
  const store = createMemoryStore();
  const writes: string[][] = [];
  const append: Store['append'] = (...given) => {
    writes.push(given[2].map(({ type }) => type));
    return store.append(...given);
  };
  await using agent = agentWith(
    {
      reads: { allowedSkills: [], readOnly: true, run: () => done('r') },
      acts: { allowedSkills: [], run: () => done('a') },
      top: async (_input, scope) => {
        await scope.call('reads', null);
        await scope.call('acts', null);
        return done();
      },
    },
    { store: { ...store, append } },
  );
  const run = agent.run({ skill: 'top' });
  await run.result;
  assert.equal(ofType(await agent.runs.events(run.id), 'frame.ended').length, 3);
  const calls = writes.filter((types) => types.some((type) => type.startsWith('frame.'))).slice(1);
  assert.deepEqual(calls.slice(0, 3), [['frame.started', 'frame.ended'], ['frame.started'], ['frame.ended']]);
});
