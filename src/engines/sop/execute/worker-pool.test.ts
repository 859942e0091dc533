import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createHeap } from './worker-pool.ts';

test('a heap gives its elements in order, whatever was added and taken before', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(50), { freq: 3 }), { size: 'max', maxLength: 200 }), (acts) => {
      const heap = createHeap<number>((one, other) => one < other);
      const plain: number[] = [];
      for (const act of acts) {
        if (act === null) assert.equal(heap.take(), plain.shift());
        else heap.add(act);
        if (act !== null) plain.push(act);
        plain.sort((one, other) => one - other);
        assert.deepEqual([heap.size, heap.first()], [plain.length, plain[0]]);
      }
    }),
  );
});
