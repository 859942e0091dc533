import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLines } from './queue.ts';

test('places of a line come up in order, and lines do not wait for each other', async () => {
  const lines = createLines();
  const order: string[] = [];
  const [first, second, other] = [lines.enter('a'), lines.enter('a'), lines.enter('b')];
  const noted = Promise.all([
    second.turn.then(() => order.push('second')),
    other.turn.then(() => order.push('other')),
  ]);
  await first.turn;
  await other.turn;
  order.push('first leaves');
  first.leave();
  await noted;
  assert.deepEqual(order, ['other', 'first leaves', 'second']);
});

test('who leaves before its turn lets nobody pass those before it', async () => {
  const lines = createLines();
  const [first, second, third] = [lines.enter('a'), lines.enter('a'), lines.enter('a')];
  let isThirdIn = false;
  const third_ = third.turn.then(() => (isThirdIn = true));
  second.leave();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isThirdIn, false);
  first.leave();
  await third_;
});

test('a line that is empty again begins at once', async () => {
  const lines = createLines();
  const first = lines.enter('a');
  first.leave();
  await lines.enter('a').turn;
});
