import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as write from '../../../test/support/events.ts';
import { foldRun } from '../../views/run-tree.ts';
import { runTimeText } from './run-time.ts';

test('the whole time stands beside that of work when they differ', () => {
  const worked = write.log(...write.begin('daily'), write.at(200, write.ended('f1')));
  assert.equal(runTimeText(foldRun(worked), 200), '0.2 s');
  const rested = write.log(
    ...write.begin('daily'),
    write.at(200, write.waiting('q')),
    write.at(34_000, write.resumed),
    write.runEnded('done', write.done()),
  );
  assert.equal(runTimeText(foldRun(rested), 0), '0.3 s at work, 34 s in all');
});
