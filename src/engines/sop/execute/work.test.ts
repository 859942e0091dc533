import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSop } from './run-sop.ts';

test('a value that is passed on is not copied: it may be large, and many may pass it on', async () => {
  const original = [{ id: 1 }];
  const { variables } = await runSop('@a make\n@b assign $a\n@c assign $b.0', [
    { name: 'make', run: () => original },
  ]);
  const valueOf = (name: string): unknown => {
    const value = variables[name];
    return value?.status === 'success' ? value.value : undefined;
  };
  assert.equal(valueOf('b'), valueOf('a'));
  assert.notEqual(valueOf('a'), original);
  original.push({ id: 2 });
  assert.deepEqual([valueOf('b'), valueOf('c')], [[{ id: 1 }], { id: 1 }]);
});
