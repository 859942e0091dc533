import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, begin, ended, log } from '../../test/support/events.ts';
import type { LogEntry } from '../../test/support/events.ts';
import { foldRun } from './run-tree.ts';
import { lineText, treeLines } from './text-tree.ts';

const started = { type: 'prepare.started', frameId: 'f1', run: 'p_1' } as const;
const over = { type: 'prepare.ended', frameId: 'f1', run: 'p_1' } as const;

function shown(...entries: readonly LogEntry[]): readonly string[] {
  const tree = foldRun(log(...begin('daily'), ...entries));
  return treeLines(tree, { now: 90_000 }).map(lineText);
}

describe('the run that prepares a skill', () => {
  test('is named while it is waited for', () => {
    assert.equal(shown(at(100, started)).at(-1), '└ … is prepared by p_1');
  });

  test('is named afterwards where it took its time', () => {
    const lines = shown(at(100, started), at(12_100, over), at(12_200, ended('f1')));
    assert.equal(lines.at(-1), '└ · was prepared by p_1  12 s');
    assert.equal(shown(at(100, started), at(200, over), at(300, ended('f1'))).length, 1);
  });

  test('is named where it failed, however long it took', () => {
    const error = { code: 'skill.failed', message: 'No.' } as const;
    assert.equal(
      shown(at(100, started), at(101, { ...over, error })).at(-1),
      '└ ✗ its preparation failed: p_1',
    );
  });
});
