import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from './draft.ts';
import { holdUnfinished } from './unfinished.ts';

const whole: Draft = { name: 'a', card: { description: 'A.' }, issues: [], usable: true, sum: '1' };
const cut: Draft = {
  ...whole,
  issues: [{ level: 'warning', code: 'frontmatter.unclosed', message: 'No end.' }],
};
const broken: Draft = {
  ...whole,
  usable: false,
  issues: [{ level: 'error', code: 'section.missing', message: 'No fields.' }],
};

test('a file that changed within the last 25 ms is held back, whatever it looks like', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', whole, whole, 99_990), false);
  assert.deepEqual(held.release(), ['/a']);
  assert.equal(held.mayTake('/a', whole, whole, 99_970), true);
  assert.deepEqual(held.release(), []);
});

test('a file that has new findings or no longer is a skill is held back for a second', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  for (const fresh of [cut, broken, undefined]) {
    assert.equal(held.mayTake('/a', fresh, whole, 99_100), false);
    assert.equal(held.mayTake('/a', fresh, whole, 98_900), true);
  }
});

test('a new file is held back for a second when it ends within its head', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', cut, undefined, 99_100), false);
  assert.equal(held.mayTake('/a', cut, undefined, 98_900), true);
  assert.equal(held.mayTake('/a', whole, undefined, 99_100), true);
});

test('a file that was no better before is not held back', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', broken, broken, 99_900), true);
  assert.equal(held.mayTake('/a', undefined, undefined, 99_900), true);
  assert.equal(held.mayTake('/a', broken, undefined, 99_900), true);
});

test('a file that changes all the time is taken after five seconds', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  for (let waited = 0; waited < 5_000; waited += 50) {
    assert.equal(held.mayTake('/a', whole, whole, Date.now()), false);
    held.release();
    t.mock.timers.tick(50);
  }
  assert.equal(held.mayTake('/a', whole, whole, Date.now()), true);
});

test('a time stamp from the future holds nothing back', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  assert.equal(holdUnfinished().mayTake('/a', cut, whole, 200_000), true);
});
