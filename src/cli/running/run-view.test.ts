import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import * as write from '../../../test/support/events.ts';
import { createRunFold } from '../../views/run-tree.ts';
import type { LiveLines } from '../output/live-lines.ts';
import type { Terminal } from '../terminal.ts';
import { drawnView } from './run-view.ts';

test('the tree is drawn at most ten times a second, as wide as the screen, and taken away at the end', () => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const drawn: (readonly string[])[] = [];
  const live: LiveLines = {
    screen: () => ({ columns: 20, rows: 10 }),
    show: (lines) => void drawn.push(lines),
    wipe: () => void drawn.push([]),
  };
  const terminal: Terminal = {
    out: () => undefined,
    err: () => undefined,
    progress: () => undefined,
    width: undefined,
    color: false,
  };
  const fold = createRunFold();
  const view = drawnView(live, terminal);
  mock.timers.tick(100);
  assert.deepEqual(drawn, [['…']], 'a sign of life before the first event');
  for (const event of write.log(...write.begin('daily'), write.called('f2', 'f1', 'a-rather-long-name'))) {
    fold.add(event);
    view.see(event, fold.tree);
  }
  mock.timers.tick(250);
  assert.deepEqual(drawn.slice(1), [
    ['… daily', '└ … a-rather-long-…'],
    ['… daily', '└ … a-rather-long-…'],
  ]);
  view[Symbol.dispose]();
  mock.timers.tick(500);
  assert.deepEqual(drawn.slice(3), [[]]);
  mock.timers.reset();
});
