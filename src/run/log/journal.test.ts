import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, valueOf } from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { Journal } from './journal.ts';

describe('time, chance and notes', () => {
  test('are kept, and notes are in the order in which they were made', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        scope.note('one');
        const now = await scope.now();
        scope.note('two', { now });
        const chance = [await scope.random(), await scope.random()];
        scope.note('three');
        return done('', [now, ...chance]);
      },
    });
    const run = agent.run({ skill: 'top' });
    const value = valueOf(await run.result) as number[];
    const events = await agent.runs.events(run.id);
    assert.deepEqual(
      ofType(events, 'note.added').map(({ message }) => message),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(
      ofType(events, 'step.ended').map((event) => event.value),
      value,
    );
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_event, index) => index + 1),
    );
  });

  test('are reported once however often the run is resumed', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        scope.note('begins');
        await scope.ask('x');
        scope.note('goes on');
        return done();
      },
    });
    const { runId } = await agent.run({ skill: 'top' }).result;
    await agent.runs.answer(runId, 'A');
    await settled(agent.runs.resume(runId).result);
    const notes = ofType(await agent.runs.events(runId), 'note.added').map(({ message }) => message);
    assert.deepEqual(notes, ['begins', 'goes on']);
  });
});

test('what is added at once is written in several appends, in order, and none is lost', async () => {
  const store = createMemoryStore();
  const sizes: number[] = [];
  const append: Store['append'] = (...given) => {
    sizes.push(given[2].length);
    return store.append(...given);
  };
  const journal = await Journal.open('r_many', {
    store: { ...store, append },
    owner: 'me',
    now: Date.now,
    onBroken: assert.ifError,
  });
  const keys = Array.from({ length: 100 }, (_, index) => `n${index}`);
  const positions = await settled(
    Promise.all(keys.map((key) => journal.add('', { type: 'note.added', key, message: key }))),
  );
  assert.deepEqual(
    positions,
    keys.map((_key, index) => index + 1),
  );
  assert.ok(sizes.length > 3 && sizes.every((size) => size <= 32), sizes.join(' '));
  const stored: RunEvent[] = [];
  for await (const event of store.read('r_many')) stored.push(event);
  assert.deepEqual(
    ofType(stored, 'note.added').map(({ key }) => key),
    keys,
  );
  assert.deepEqual(journal.events, stored);
});
