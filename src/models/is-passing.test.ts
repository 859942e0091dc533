import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '../core/error.ts';
import { isPassing } from './is-passing.ts';

test('without details only a busy provider and a timeout pass', () => {
  const passing = errorCodes.filter((code) => isPassing({ code, message: 'No.' }));
  assert.deepEqual(passing, ['model.busy', 'model.timeout']);
});

test('details that say so decide, whatever the code', () => {
  assert.equal(isPassing({ code: 'model.failed', message: 'Cut.', details: { passing: true } }), true);
  assert.equal(isPassing({ code: 'model.busy', message: 'Quota.', details: { passing: false } }), false);
});

test('details of another kind do not matter', () => {
  for (const details of [null, 'passing', ['passing'], { status: 500 }, 1])
    assert.equal(isPassing({ code: 'model.failed', message: 'No.', details }), false);
});
