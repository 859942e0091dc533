import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { allTogether, createLanes } from './writer.ts';

describe('lanes', () => {
  test('let so many work at once, and the others in their turn', async () => {
    const inLane = createLanes(2);
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<number>());
    const begun: number[] = [];
    const all = gates.map(({ promise }, index) => inLane(() => (begun.push(index), promise)));
    await turn();
    assert.deepEqual(begun, [0, 1]);
    gates[1]?.reject(new Error('no'));
    await assert.rejects(all[1] ?? Promise.resolve(), /no/);
    await turn();
    assert.deepEqual(begun, [0, 1, 2]);
    for (const [index, { resolve }] of gates.entries()) resolve(index);
    assert.deepEqual(await Promise.all([all[0], all[2], all[3]]), [0, 2, 3]);
  });
});

describe('work that belongs together', () => {
  test('is called off by the first failure, which is thrown when all of it has ended', async () => {
    const ended: string[] = [];
    const work = allTogether(new AbortController().signal, (signal) => [
      Promise.reject(new Error('first')),
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.push('second');
          reject(new Error('second'));
        });
      }),
    ]);
    await assert.rejects(work, /first/);
    assert.deepEqual(ended, ['second']);
  });

  test('hears the signal from outside', async () => {
    const outside = new AbortController();
    const work = allTogether(outside.signal, (signal) => [
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
    ]);
    outside.abort(new Error('enough'));
    await assert.rejects(work, /enough/);
  });
});
