import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../../core/index.ts';
import { createSlots, type Slots } from './slots.ts';

function enter(slots: Slots, id: string, perKey?: number): Disposable | string {
  const slot = slots.enter({ keyId: id, keyName: id }, perKey);
  if (!isAgentError(slot)) return slot;
  assert.equal(slot.code, 'limit.busy');
  return (slot.details as { of: string }).of;
}

test('a key has its own limit, and the server has one', () => {
  const slots = createSlots({ what: 'runs', total: 3, perKey: 2 });
  const [first, second] = [enter(slots, 'a'), enter(slots, 'a')];
  assert.ok(typeof first === 'object' && typeof second === 'object');
  assert.equal(enter(slots, 'a'), 'key');
  assert.equal(enter(slots, 'b', 0), 'key');
  const third = enter(slots, 'b');
  assert.ok(typeof third === 'object');
  assert.equal(enter(slots, 'c'), 'server');
  assert.equal(slots.taken, 3);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.equal(slots.taken, 2);
  assert.ok(typeof enter(slots, 'a') === 'object');
  assert.equal(enter(slots, 'a'), 'key');
  second[Symbol.dispose]();
  third[Symbol.dispose]();
  assert.equal(slots.taken, 1);
});
