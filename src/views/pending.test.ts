import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, asked, begin, log } from '../../test/support/events.ts';
import { pendingOf } from './pending.ts';

test('the oldest open question comes first', () => {
  const events = log(
    ...[...begin('daily'), asked('f1', 'a', 'A?'), asked('f1', 'b', 'B?'), asked('f1', 'c', 'C?')],
    answered('f1', 'a', 'yes'),
  );
  assert.deepEqual(
    pendingOf(events).map(({ text }) => text),
    ['B?', 'C?'],
  );
  assert.deepEqual(pendingOf([]), []);
});
