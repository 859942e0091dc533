import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as write from '../../../test/support/events.ts';
import { foldRun } from '../../views/run-tree.ts';
import type { Terminal } from '../terminal.ts';
import { drawTimeline } from './trace.ts';
import { drawTree } from './tree.ts';
import { widthOf } from './text.ts';

const terminal: Terminal = {
  out: () => undefined,
  err: () => undefined,
  progress: () => undefined,
  width: undefined,
  color: false,
};

const usage = { inputTokens: 900, outputTokens: 100, cost: 0.01 };

const events = write.log(
  ...write.begin('daily'),
  write.modelStarted('f1', 'm1'),
  write.modelEnded('f1', 'm1', usage),
  write.called('f2', 'f1', 'fe\u001b[31mtch\u202e', { input: '数据'.repeat(20) }),
  write.modelStarted('f2', 'm1'),
  write.modelEnded('f2', 'm1', usage),
  write.ended('f2'),
  write.asked('f1', 'q', 'Go?'),
  write.at(1_000, write.waiting('q-f1-q')),
  write.at(3_600_000, write.resumed),
  write.answered('f1', 'q', 'yes'),
  write.ended('f1'),
  write.runEnded('done', write.done()),
);

describe('the tree of a run', () => {
  test('has total and own cost, and nothing that steers a terminal', () => {
    assert.deepEqual(drawTree(foldRun(events), { now: 0, width: undefined, terminal }), [
      '✓ daily  1 h  2,000 tok  $0.02  (own 1,000 tok $0.01)',
      `└ ✓ fetch "${'数据'.repeat(20)}"  0.3 s  1,000 tok  $0.01`,
    ]);
  });

  test('fits into any width, wide letters included', () => {
    for (const width of [1, 5, 10, 20, 30, 40, 80]) {
      for (const line of drawTree(foldRun(events), { now: 0, width, terminal })) {
        assert.ok(widthOf(line) <= width, `${width}: ${line}`);
      }
    }
    const [, line] = drawTree(foldRun(events), { now: 0, width: 50, terminal });
    assert.match(line ?? '', /^└ ✓ fetch "数据.*… {2}0\.3 s {2}1,000 tok {2}\$0\.01$/);
  });

  test('is painted after it was cut', () => {
    const [line] = drawTree(foldRun(events), { now: 0, width: 8, terminal: { ...terminal, color: true } });
    assert.equal(line, '\u001b[32m✓\u001b[39m daily…');
  });
});

describe('the waterfall of a run', () => {
  test('leaves out the time in which no one worked', () => {
    assert.deepEqual(drawTimeline(foldRun(events), 3_600_300, 40), [
      'daily     ███▓▓█······██?????██    1.1 s',
      '  fetch         ██▓▓██             0.3 s',
      '█ own  ▓ model  ▒ step',
      '· waiting for a call',
      '? waiting for a person',
    ]);
  });

  test('fits into any width from the narrowest on', () => {
    for (const width of [24, 30, 40, 80, 200]) {
      for (const line of drawTimeline(foldRun(events), 3_600_300, width)) {
        assert.ok(widthOf(line) <= width, `${width}: ${line}`);
      }
    }
  });
});
