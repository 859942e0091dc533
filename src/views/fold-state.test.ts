import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answered,
  approvalAsked,
  asked,
  begin,
  called,
  done,
  ended,
  failed,
  log,
  modelEnded,
  modelStarted,
  resumed,
  runEnded,
  runStarted,
  stepStarted,
  waiting,
  type LogEntry,
} from '../../test/support/events.ts';
import { framesOf } from './run-node.ts';
import { foldRun } from './run-tree.ts';

const usage = { inputTokens: 10, outputTokens: 5, cost: 0.5 };

describe('the status of a run and its frames', () => {
  const child = called('f2', 'f1', 'notes');
  const other = called('f3', 'f1', 'other');
  const cases: readonly {
    readonly name: string;
    readonly entries: readonly LogEntry[];
    /** The run, then its frames from the top. `*` marks a frame that is working itself. */
    readonly status: string;
  }[] = [
    { name: 'a run that only began', entries: [runStarted('daily')], status: 'running*' },
    { name: 'its first frame', entries: begin('daily'), status: 'running running*' },
    {
      name: 'a caller of a running call',
      entries: [...begin('daily'), child],
      status: 'running running running*',
    },
    {
      name: 'an open step',
      entries: [...begin('daily'), stepStarted('f1', 's')],
      status: 'running running*',
    },
    {
      name: 'an open question',
      entries: [...begin('daily'), asked('f1', 'q', '?')],
      status: 'waiting waiting',
    },
    {
      name: 'a question beside an open step',
      entries: [...begin('daily'), asked('f1', 'q', '?'), stepStarted('f1', 's')],
      status: 'running running*',
    },
    {
      name: 'a question beside a model that answered',
      entries: [
        ...begin('daily'),
        modelStarted('f1', 'm'),
        asked('f1', 'q', '?'),
        modelEnded('f1', 'm', usage),
      ],
      status: 'waiting waiting',
    },
    {
      name: 'a call that asks',
      entries: [...begin('daily'), child, asked('f2', 'q', '?')],
      status: 'waiting waiting waiting',
    },
    {
      name: 'a call that asks beside one that runs',
      entries: [...begin('daily'), child, other, asked('f2', 'q', '?')],
      status: 'running running waiting running*',
    },
    {
      name: 'a call that asks beside one that ended',
      entries: [...begin('daily'), child, other, asked('f2', 'q', '?'), ended('f3')],
      status: 'waiting waiting waiting done',
    },
    {
      name: 'a question that was answered',
      entries: [...begin('daily'), child, asked('f2', 'q', '?'), answered('f2', 'q', 'x')],
      status: 'running running running*',
    },
    {
      name: 'an approval of the first call',
      entries: [runStarted('daily'), approvalAsked('', 'c', 'daily')],
      status: 'waiting',
    },
    {
      name: 'a preparation',
      entries: [...begin('daily'), { type: 'prepare.started', frameId: 'f1', run: 'p1' }],
      status: 'running running',
    },
    {
      name: 'a failed call whose caller continues',
      entries: [...begin('daily'), child, ended('f2', failed('no'))],
      status: 'running running* failed',
    },
    {
      name: 'a run that the kernel says to wait',
      entries: [...begin('daily'), { type: 'prepare.started', frameId: 'f1', run: 'p1' }, waiting()],
      status: 'waiting running',
    },
    {
      name: 'a run that goes on',
      entries: [...begin('daily'), asked('f1', 'q', '?'), waiting('q-f1-q'), resumed, answered('f1', 'q', 1)],
      status: 'running running*',
    },
    {
      name: 'open frames of a cancelled run',
      entries: [
        ...[...begin('daily'), child, asked('f2', 'q', '?')],
        runEnded('cancelled', failed('stopped', 'usage.cancelled')),
      ],
      status: 'cancelled failed failed',
    },
    {
      name: 'a frame whose end is written after that of the run',
      entries: [...begin('daily'), runEnded('cancelled', failed('stopped')), ended('f1', failed('stopped'))],
      status: 'cancelled failed',
    },
    {
      name: 'a run that is done',
      entries: [...begin('daily'), child, ended('f2'), ended('f1'), runEnded('done', done())],
      status: 'done done done',
    },
  ];
  for (const { name, entries, status } of cases) {
    test(name, () => {
      const tree = foldRun(log(...entries));
      const shown = [tree, ...framesOf(tree)].map((branch) => `${branch.status}${branch.busy ? '*' : ''}`);
      assert.equal(shown.join(' '), status);
    });
  }
});
