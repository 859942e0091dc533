import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortIds } from './run-id.ts';

test('as short as they can be distinguished, and no shorter than eight letters', () => {
  assert.deepEqual(shortIds([]), []);
  assert.deepEqual(shortIds(['r_0123456789', 'r_9876543210']), ['r_012345', 'r_987654']);
  assert.deepEqual(shortIds(['r_0123456789', 'r_0123456xyz']), ['r_01234567', 'r_0123456x']);
  assert.deepEqual(shortIds(['r_1', 'r_1']), ['r_1', 'r_1']);
});
