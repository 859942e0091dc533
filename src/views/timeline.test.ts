import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  approvalAsked,
  asked,
  at,
  begin,
  called,
  done,
  ended,
  log,
  modelEnded,
  modelStarted,
  resumed,
  runEnded,
  stepEnded,
  stepStarted,
  waiting,
} from '../../test/support/events.ts';
import type { LogEntry } from '../../test/support/events.ts';
import { foldRun } from './run-tree.ts';
import { buildTimeline } from './timeline.ts';

const none = { inputTokens: 0, outputTokens: 0 };
const prepared = { type: 'prepare.started', frameId: 'f1', run: 'p1' } as const;

// Every log starts with frame f1 at time 100, and is viewed at time 1000.
const cases: readonly {
  readonly name: string;
  readonly entries: readonly LogEntry[];
  /** The kinds of time in each frame, each with its end. */
  readonly rows: readonly string[];
}[] = [
  { name: 'nothing but its own work', entries: [], rows: ['daily 100 own 1000'] },
  {
    name: 'model and step',
    entries: [
      ...[at(200, modelStarted('f1', 'm')), at(300, modelEnded('f1', 'm', none))],
      ...[at(300, stepStarted('f1', 's')), at(400, stepEnded('f1', 's')), at(500, ended('f1'))],
    ],
    rows: ['daily 100 own 200 model 300 step 400 own 500'],
  },
  {
    name: 'a model above a step above a call above a person',
    entries: [
      ...[
        at(200, asked('f1', 'q', '?')),
        at(300, called('f2', 'f1', 'notes')),
        at(400, stepStarted('f1', 's')),
      ],
      ...[
        at(500, modelStarted('f1', 'm')),
        at(600, modelEnded('f1', 'm', none)),
        at(700, stepEnded('f1', 's')),
      ],
      ...[at(800, ended('f2')), at(900, answered('f1', 'q', 1))],
    ],
    rows: [
      'daily 100 own 200 person 300 child 400 step 500 model 600 step 700 child 800 person 900 own 1000',
      'notes 300 own 800',
    ],
  },
  {
    name: 'calls that overlap are one wait',
    entries: [
      ...[at(200, called('f2', 'f1', 'a')), at(300, called('f3', 'f1', 'b'))],
      ...[at(400, ended('f2')), at(500, ended('f3'))],
    ],
    rows: ['daily 100 own 200 child 500 own 1000', 'a 200 own 400', 'b 300 own 500'],
  },
  {
    name: 'a preparation is another run',
    entries: [at(200, prepared)],
    rows: ['daily 100 own 200 child 1000'],
  },
  {
    name: 'a preparation that is looked at once more after a crash',
    entries: [
      ...[at(200, prepared), at(300, { ...prepared, type: 'prepare.ended' }), at(600, resumed)],
      ...[at(700, prepared), at(800, { ...prepared, type: 'prepare.ended' })],
    ],
    rows: ['daily 100 own 200 child 300 idle 600 own 700 child 800 own 1000'],
  },
  {
    name: 'a run that rests until it is answered and resumed',
    entries: [
      ...[at(200, approvalAsked('f1', 'c', 'bash')), at(300, waiting('a-f1-c'))],
      ...[at(600, { type: 'approval.resolved', frameId: 'f1', key: 'c', answer: { allow: 'run' } })],
      at(700, resumed),
    ],
    rows: ['daily 100 own 200 person 300 idle 700 own 1000'],
  },
  {
    name: 'a run that still rests',
    entries: [at(200, asked('f1', 'q', '?')), at(300, waiting('q-f1-q'))],
    rows: ['daily 100 own 200 person 300 idle 1000'],
  },
  {
    name: 'a crash',
    entries: [at(200, stepStarted('f1', 's')), at(700, resumed), at(800, stepStarted('f1', 's'))],
    rows: ['daily 100 own 200 idle 700 step 1000'],
  },
  {
    name: 'a run that ends while it rests',
    entries: [
      ...[at(200, asked('f1', 'q', '?')), at(300, waiting('q-f1-q'))],
      at(400, runEnded('cancelled', { status: 'done', text: '' })),
    ],
    rows: ['daily 100 own 200 person 300 idle 400'],
  },
  {
    name: 'a clock that was set back',
    entries: [at(500, stepStarted('f1', 's')), at(400, stepEnded('f1', 's')), at(50, ended('f1', done()))],
    rows: ['daily 100'],
  },
];

for (const { name, entries, rows } of cases) {
  test(name, () => {
    const timeline = buildTimeline(foldRun(log(...begin('daily'), ...entries)), 1000);
    const shown = timeline.map(({ skill, from, spans }) =>
      [skill, from, ...spans.flatMap(({ kind, to }) => [kind, to])].join(' '),
    );
    assert.deepEqual(shown, rows);
  });
}
