import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import * as write from '../../../test/support/events.ts';
import { createRunFold } from '../../views/run-tree.ts';
import type { LiveLines } from '../output/live-lines.ts';
import type { Terminal } from '../terminal.ts';
import { createWrittenText, drawnView, type WrittenText } from './run-view.ts';

test('the tree is drawn at most ten times a second, as wide as the screen, and taken away at the end', () => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const drawn: (readonly string[])[] = [];
  const live: LiveLines = {
    screen: () => ({ columns: 20, rows: 10 }),
    show: (lines) => void drawn.push(lines),
    wipe: () => void drawn.push([]),
    setFooter: () => undefined,
    above: (write: () => void) => write(),
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

function feed(...entries: readonly write.LogEntry[]): WrittenText {
  const written = createWrittenText();
  for (const event of write.log(...entries)) written.see(event);
  return written;
}

function delta(frameId: string, text: string, attempt = 1): write.LogEntry {
  return { type: 'model.delta', frameId, key: 'm', attempt, text };
}

function ended(frameId: string): write.LogEntry {
  return write.modelEnded(frameId, 'm', { inputTokens: 1, outputTokens: 1 });
}

describe('what models write', () => {
  test('is shown as far as it is known, its end first where room is short', () => {
    const written = feed(delta('f1', 'One two '), delta('f1', 'three.\nFour'));
    assert.deepEqual(written.rows(8, 10), ['One two ', 'three.', 'Four']);
    assert.deepEqual(written.rows(8, 2), ['three.', 'Four']);
  });

  test('breaks wide letters where a terminal does, and steers none', () => {
    assert.deepEqual(feed(delta('f1', '日本語 🎉\u001b[31m!')).rows(5, 10), ['日本', '語 🎉', '!']);
  });

  test('is forgotten when the attempt failed, or the answer is whole', () => {
    assert.deepEqual(feed(delta('f1', 'Wro'), delta('f1', 'Right', 2)).rows(80, 5), ['Right']);
    assert.deepEqual(feed(delta('f1', 'Done.'), ended('f1')).rows(80, 5), []);
  });

  test('of several the first is shown until it is done', () => {
    const both = [delta('f2', 'The first'), delta('f3', 'The second'), delta('f2', ' one')];
    assert.deepEqual(feed(...both).rows(80, 5), ['The first one']);
    assert.deepEqual(feed(...both, ended('f2')).rows(80, 5), ['The second']);
  });

  test('of a call that was left nothing is shown any more', () => {
    const both = [delta('f2', 'The first'), delta('f3', 'The second')];
    assert.deepEqual(feed(...both, write.ended('f2')).rows(80, 5), ['The second']);
  });

  test('what a cancelled run was writing is known to the last word', () => {
    const { failed, runEnded } = write;
    const begun = [delta('f1', 'As far\n as \u001b[2Jthis'), write.ended('f1', failed('Stopped.'))];
    assert.equal(feed(...begun, runEnded('cancelled', failed('Stopped.'))).cutOff(), 'As far\n as this');
    assert.equal(feed(...begun, runEnded('failed', failed('Stopped.'))).cutOff(), '');
    const whole = [delta('f1', 'Done.'), ended('f1'), write.ended('f1')];
    assert.equal(feed(...whole, runEnded('cancelled', failed('Stopped.'))).cutOff(), '');
  });

  test('documents for programs are not shown', () => {
    for (const text of ['{"skill": "a"', ' [1', '```json\n{', ' ']) {
      assert.deepEqual(feed(delta('f1', text)).rows(80, 5), []);
    }
  });
});
