import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as write from '../../../test/support/events.ts';
import { foldRun } from '../../views/run-tree.ts';
import { agoText, runTimeText, timeLeft } from './time.ts';

test('how long ago, in the largest unit that is full', () => {
  const cases: readonly (readonly [milliseconds: number, text: string])[] = [
    [-5_000, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 day ago'],
    [172_800_000, '2 days ago'],
    [86_400_000_000, '1,000 days ago'],
  ];
  for (const [milliseconds, text] of cases) assert.equal(agoText(milliseconds), text);
});

test('the total time is shown next to the working time if they differ', () => {
  const worked = write.log(...write.begin('daily'), write.at(200, write.ended('f1')));
  assert.equal(runTimeText(foldRun(worked), 200), '0.2 s');
  const rested = write.log(
    ...write.begin('daily'),
    write.at(200, write.waiting('q')),
    write.at(34_000, write.resumed),
    write.runEnded('done', write.done()),
  );
  assert.equal(runTimeText(foldRun(rested), 0), '0.3 s working, 34 s in total');
});

test('the time that is left is said in whole minutes until the last one', () => {
  const after = (seconds: number): string | undefined => timeLeft(1_000 * seconds + 5, 5);
  assert.equal(after(86_400), '24 h');
  assert.equal(after(86_399), '23 h 59 min');
  assert.equal(after(119), '1 min');
  assert.equal(after(59), '59 s');
  assert.equal(after(0.4), '0.4 s');
});

test('none is left at the moment itself', () => {
  assert.equal(timeLeft(5, 5), undefined);
  assert.equal(timeLeft(4, 5), undefined);
});
