import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './json.ts';
import { outputFrom } from './run.ts';

test('a returned value that only resembles an output is a value', () => {
  const values: readonly Json[] = [
    { id: 7, status: 'done', text: 'Shipped.' },
    { status: 'failed', error: 'No stock.', order: 7 },
    { status: 'done', title: 'x' },
    { status: 'open', text: 'x' },
  ];
  for (const value of values) {
    assert.deepEqual(outputFrom(value), { status: 'done', text: JSON.stringify(value), value });
  }
});

test('a returned output is used as it is', () => {
  const error = { code: 'skill.failed', message: 'No.' } as const;
  for (const output of [
    { status: 'done', text: '' },
    { status: 'done', text: 'x', value: [1], variables: { a: 1 } },
    { status: 'done', text: 'x', usage: undefined },
    { status: 'failed', text: 'No.', error },
    { status: 'failed', error },
  ]) {
    assert.equal(outputFrom(output), output);
  }
});
