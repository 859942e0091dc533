import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runInLanes } from './lanes.ts';

interface Item {
  readonly isAlone: boolean;
  readonly turns: number;
}

/** Lets others go first so many times. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('calls in lanes', () => {
  test('keep their order, their number, and the barrier of one that is sequential', async () => {
    const item = fc.record({ isAlone: fc.boolean(), turns: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 25 }),
        fc.integer({ min: 1, max: 5 }),
        async (items, most) => {
          const open = new Set<number>();
          const ended = new Set<number>();
          let widest = 0;
          const results = await runInLanes<Item, number>(
            items,
            ({ isAlone }) => isAlone,
            most,
            async ({ isAlone, turns }, index) => {
              assert.ok(open.size === 0 || !isAlone, 'a sequential one beside others');
              assert.ok(
                [...open].every((other) => items[other]?.isAlone === false),
                'beside a sequential one',
              );
              items.slice(0, index).forEach((other, place) => {
                if (isAlone || other.isAlone) assert.ok(ended.has(place), `${place} before ${index}`);
              });
              open.add(index);
              widest = Math.max(widest, open.size);
              await pause(turns);
              open.delete(index);
              ended.add(index);
              return index;
            },
          );
          assert.deepEqual(
            results,
            items.map((_, index) => index),
          );
          assert.ok(widest <= most, `${widest} at once`);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('use every lane: one that is slow holds back nobody else', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const ended: number[] = [];
    const all = runInLanes(
      [0, 1, 2, 3, 4, 5],
      () => false,
      2,
      async (item) => {
        if (item === 0) await promise;
        ended.push(item);
        return item;
      },
    );
    await pause(20);
    assert.deepEqual(ended, [1, 2, 3, 4, 5]);
    resolve(undefined);
    assert.deepEqual(await all, [0, 1, 2, 3, 4, 5]);
  });

  test('of nothing are nothing', async () => {
    assert.deepEqual(
      await runInLanes(
        [],
        () => true,
        8,
        async () => 1,
      ),
      [],
    );
  });
});
