import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asked,
  begin,
  called,
  done,
  ended,
  failed,
  log,
  modelEnded,
  runEnded,
  runStarted,
  waiting,
} from '../../test/support/events.ts';
import type { LogEntry } from '../../test/support/events.ts';
import { resultOf } from './run-result.ts';
import { foldRun } from './run-tree.ts';

const usage = { inputTokens: 3, outputTokens: 4 };
const stopped = failed('It was stopped.', 'usage.cancelled');

const cases: readonly {
  readonly name: string;
  readonly entries: readonly LogEntry[];
  readonly result: object;
}[] = [
  { name: 'running', entries: [], result: { ok: false, status: 'running', text: '' } },
  {
    name: 'done',
    entries: [ended('f1', done('fine', [1])), runEnded('done', done('fine', [1]))],
    result: { ok: true, status: 'done', text: 'fine', value: [1] },
  },
  {
    name: 'failed',
    entries: [runEnded('failed', failed('No.'))],
    result: { ok: false, status: 'failed', text: 'No.', error: { code: 'skill.failed', message: 'No.' } },
  },
  {
    name: 'cancelled while it asks',
    entries: [asked('f1', 'q', '?'), runEnded('cancelled', stopped)],
    result: {
      ok: false,
      status: 'cancelled',
      text: 'It was stopped.',
      error: { code: 'usage.cancelled', message: 'It was stopped.' },
    },
  },
  {
    name: 'waiting',
    entries: [asked('f1', 'q', 'Which day?'), asked('f1', 'r', 'Sure?'), waiting('q-f1-q', 'q-f1-r')],
    result: {
      ok: false,
      status: 'waiting',
      text: 'Which day?',
      question: { text: 'Which day?', id: 'q-f1-q', kind: 'input', path: ['daily'] },
    },
  },
];

test('a prompt: the skill that was chosen for it, and what the steps of its plan came to', () => {
  const variables = { first: 1, second: ['two'] };
  const selected = { type: 'skill.selected', skill: 'daily', by: 'ranking' } as const;
  const entries = [runStarted('', { prompt: 'my day' }), selected, called('f1', '', 'daily')];
  const output = { status: 'done', text: 'fine', variables } as const;
  const before = resultOf(foldRun(log(...entries.slice(0, 1))));
  const after = resultOf(foldRun(log(...entries, ended('f1', output), runEnded('done', output))));
  assert.deepEqual([before.skill, after.skill, after.variables], ['', 'daily', variables]);
});

test('nothing fits: no skill', () => {
  const nothing = { type: 'skill.selected', skill: '', by: 'nothing' } as const;
  const output = failed('Nothing fits.', 'skill.not-found');
  const tree = foldRun(log(runStarted('', { prompt: 'hm' }), nothing, runEnded('failed', output)));
  const { skill, text, error } = resultOf(tree);
  assert.deepEqual([skill, text, error?.code, tree.prompt], ['', 'Nothing fits.', 'skill.not-found', 'hm']);
});

for (const { name, entries, result } of cases) {
  test(name, () => {
    const tree = foldRun(log(...begin('daily'), modelEnded('f1', 'm', usage), ...entries));
    assert.deepEqual(resultOf(tree), { runId: 'r1', skill: 'daily', usage, ...result });
  });
}

test('the files that calls of any depth changed and that people run later are named once', () => {
  const note = (frameId: string, ...files: readonly string[]): LogEntry => {
    const data = { changedPrograms: files };
    return { type: 'note.added', frameId, key: files.join(), message: 'x', data };
  };
  const entries = [note('f1', 'a.test.ts'), called('f2', 'f1', 'bash'), note('f2', 'Makefile', 'a.test.ts')];
  const { changedPrograms } = resultOf(foldRun(log(...begin('daily'), ...entries)));
  assert.deepEqual(changedPrograms, ['Makefile', 'a.test.ts']);
});
