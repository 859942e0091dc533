import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answered,
  approvalAsked,
  approvalDecided,
  asked,
  at,
  begin,
  called,
  done,
  ended,
  failed,
  log,
  modelEnded,
  modelStarted,
  refused,
  resumed,
  runEnded,
  runStarted,
  stepEnded,
  stepStarted,
  waiting,
  type LogEntry,
} from '../../test/support/events.ts';
import type { RunEvent } from '../core/event.ts';
import { framesOf } from './run-node.ts';
import { foldRun, pendingOf } from './run-tree.ts';
import { sumUsage } from './usage.ts';

const usage = { inputTokens: 10, outputTokens: 5, cost: 0.5 };

test('the facts of a run and a frame', () => {
  const artifact = {
    name: 'a.js',
    mediaType: 'text/javascript',
    text: 'code',
    digest: 'd',
    data: { input: 1 },
  };
  const tree = foldRun(
    log(
      runStarted('daily', { input: { day: 1 }, prepares: 'daily', rerunOf: 'r0' }),
      at(0, resumed),
      { type: 'skill.selected', skill: 'daily', by: 'name' },
      called('f1', '', 'daily', { digest: 'd', input: 'x' }),
      { type: 'note.added', key: 'n', frameId: 'f1', message: 'hello', data: 2 },
      { type: 'artifact.created', key: 'a', frameId: 'f1', ...artifact },
      ended('f1', done('fine')),
      runEnded('done', done('fine')),
    ),
  );
  assert.deepEqual(
    [
      tree.runId,
      tree.skill,
      tree.session,
      tree.input,
      tree.prepares,
      tree.rerunOf,
      tree.startedAt,
      tree.endedAt,
    ],
    ['r1', 'daily', 's1', { day: 1 }, 'daily', 'r0', 0, 600],
  );
  const none = { inputTokens: 0, outputTokens: 0 };
  assert.deepEqual(tree.children, [
    {
      kind: 'frame',
      id: 'f1',
      parent: '',
      key: 'f1',
      skill: 'daily',
      family: 'made',
      depth: 1,
      leaf: false,
      input: 'x',
      digest: 'd',
      status: 'done',
      busy: false,
      startedAt: 200,
      endedAt: 500,
      output: done('fine'),
      ownUsage: none,
      totalUsage: none,
      modelSteps: 0,
      activities: [],
      children: [],
      notes: [{ at: 300, message: 'hello', data: 2 }],
      artifacts: [{ at: 400, name: 'a.js', mediaType: 'text/javascript', characters: 4 }],
    },
  ]);
});

test('usage rolls up, also from a reply whose beginning is unknown', () => {
  const tree = foldRun(
    log(
      ...begin('daily'),
      ...[modelStarted('f1', 'm1'), modelEnded('f1', 'm1', usage)],
      ...[called('f2', 'f1', 'notes'), modelStarted('f2', 'm1'), modelEnded('f2', 'm1', usage)],
      modelEnded('f2', 'lost', usage),
    ),
  );
  const [first, second] = [...framesOf(tree)];
  assert.deepEqual(
    [tree.totalUsage.cost, first?.ownUsage.cost, first?.totalUsage.cost, second?.ownUsage.cost],
    [1.5, 0.5, 1.5, 1],
  );
  assert.deepEqual([tree.ownUsage.inputTokens, first?.modelSteps, second?.modelSteps], [0, 1, 1]);
});

test('a step that is begun again after a crash is the same step', () => {
  const tree = foldRun(
    log(
      ...[...begin('daily'), stepStarted('f1', 's'), modelStarted('f1', 'm')],
      ...[resumed, stepStarted('f1', 's'), modelStarted('f1', 'm', 'any/large')],
      ...[stepEnded('f1', 's'), modelEnded('f1', 'm', usage)],
    ),
  );
  const [frame] = framesOf(tree);
  assert.deepEqual(tree.counts, { frames: 1, leafCalls: 0, refusals: 0, modelSteps: 1, steps: 1 });
  assert.deepEqual(frame?.activities, [
    { kind: 'step', key: 's', attempts: 2, startedAt: 200, endedAt: 700 },
    { kind: 'model', key: 'm', attempts: 2, startedAt: 300, endedAt: 800, model: 'any/large', usage },
  ]);
  assert.equal(frame.status, 'running');
});

test('a refused call is a node in its place, also the first call', () => {
  const tree = foldRun(
    log(...begin('daily'), called('f2', 'f1', 'read', { leaf: true }), refused('f1', 'deploy', 'No.')),
  );
  assert.deepEqual(
    [...framesOf(tree)][0]?.children.map(({ kind, skill }) => `${kind} ${skill}`),
    ['frame read', 'refused deploy'],
  );
  assert.deepEqual([tree.counts.refusals, tree.counts.leafCalls], [1, 1]);
  assert.equal(foldRun(log(runStarted('daily'), refused('', 'daily', 'No.'))).children[0]?.kind, 'refused');
});

test('open questions say who asks, oldest first', () => {
  const entries = [
    ...begin('daily'),
    called('f2', 'f1', 'notes'),
    approvalAsked('f2', 'c', 'bash', 'notes'),
    asked('f1', 'q', 'Which day?'),
    asked('f2', 'late', 'Sure?'),
    approvalAsked('f2', 'c', 'bash', 'notes'),
  ];
  assert.deepEqual(foldRun(log(...entries)).questions, [
    {
      text: '"notes" wants to call "bash": it runs code.',
      id: 'a-f2-c',
      kind: 'approval',
      path: ['daily', 'notes'],
      asks: { skill: 'bash', input: null, reason: 'it runs code.', rule: 'bash', caller: 'notes' },
    },
    { text: 'Which day?', id: 'q-f1-q', kind: 'input', path: ['daily'] },
    { text: 'Sure?', id: 'q-f2-late', kind: 'input', path: ['daily', 'notes'] },
  ]);
  const after = (...more: readonly LogEntry[]): readonly string[] =>
    foldRun(log(...entries, ...more)).questions.map(({ id }) => id);
  assert.deepEqual(after(approvalDecided('f2', 'c', { allow: 'once' })), ['q-f1-q', 'q-f2-late']);
  assert.deepEqual(after(ended('f2')), ['q-f1-q']);
  assert.deepEqual(after(runEnded('cancelled', failed('stopped'))), []);
});

test('an approval of the first call has no path', () => {
  const [question] = foldRun(log(runStarted('daily'), approvalAsked('', 'c', 'daily'))).questions;
  assert.deepEqual(
    [question?.path, question?.text],
    [[], 'The call to "daily" needs approval: it runs code.'],
  );
});

describe('a log that says less than it should', () => {
  test('an empty text', () => {
    assert.deepEqual([foldRun([]).runId, foldRun([]).status], ['', 'running']);
  });

  test('events of unknown frames and types, a frame without its caller, a second end', () => {
    const unknown = { type: 'frame.painted', frameId: 'f1' } as unknown as LogEntry;
    const tree = foldRun(
      log(
        ...[
          ended('x'),
          stepStarted('x', 's'),
          stepEnded('f1', 's'),
          answered('x', 'q', 1),
          refused('x', 'y', 'z'),
        ],
        ...[called('f1', 'lost', 'daily'), called('f1', '', 'again'), unknown, ended(''), ended('f1')],
        ...[ended('f1', failed('late')), stepStarted('f1', 'late')],
        ...[runEnded('done', done()), runEnded('failed', failed('late')), waiting()],
      ),
    );
    const [frame] = framesOf(tree);
    assert.deepEqual(
      [tree.status, frame?.skill, frame?.status, frame?.activities],
      ['done', 'daily', 'done', []],
    );
  });

  test('pieces of answers leave no trace', () => {
    const delta = { type: 'model.delta', frameId: 'f1', key: 'm', attempt: 1, text: 'x', seq: 0 } as const;
    const events: readonly RunEvent[] = log(...begin('daily'), modelStarted('f1', 'm'));
    assert.deepEqual(foldRun([...events, ...log({ ...delta, at: 900 })]), foldRun(events));
  });
});

describe('a run that reuses an earlier one', () => {
  const entries = [
    runStarted('daily', { rerunOf: 'r0' }),
    ...[stepStarted('f1', 'pay'), stepEnded('f1', 'pay'), refused('f1', 'deploy', 'No.')],
    ...[called('f3', 'f2', 'read', { leaf: true }), ended('f3'), called('f2', 'f1', 'notes')],
    ...[modelStarted('f2', 'm'), modelEnded('f2', 'm', usage), ended('f2')],
    ...[modelStarted('f1', 'm0'), modelEnded('f1', 'm0', usage)],
    resumed,
    called('f1', '', 'daily'),
    ...[modelStarted('f1', 'm1'), modelEnded('f1', 'm1', usage), called('f4', 'f1', 'notes'), ended('f4')],
    ended('f1'),
    runEnded('done', done()),
  ];

  test('puts calls below a caller that begins later, and what it did before its beginning into it', () => {
    const tree = foldRun(log(...entries));
    const [daily, ...others] = tree.children;
    assert.ok(daily?.kind === 'frame' && others.length === 0);
    assert.deepEqual(
      daily.children.map(({ kind, skill, reused }) => [kind, skill, reused]),
      [
        ['refused', 'deploy', true],
        ['frame', 'notes', true],
        ['frame', 'notes', undefined],
      ],
    );
    assert.deepEqual(
      Array.from(framesOf(tree), ({ skill }) => skill),
      ['daily', 'notes', 'read', 'notes'],
    );
    assert.deepEqual(
      daily.activities.map(({ key, reused }) => [key, reused]),
      [
        ['pay', true],
        ['m0', true],
        ['m1', undefined],
      ],
    );
  });

  test('counts and pays only for what it did itself', () => {
    const tree = foldRun(log(...entries));
    assert.deepEqual(tree.counts, { frames: 2, leafCalls: 0, refusals: 0, modelSteps: 1, steps: 0 });
    assert.deepEqual(tree.totalUsage, usage);
    const { total, bySkill, byModel } = sumUsage(log(...entries));
    assert.deepEqual([total.calls, total.cost], [2, 0.5]);
    assert.deepEqual(
      bySkill.map(({ name, calls, cost }) => [name, calls, cost]),
      [
        ['daily', 1, 0.5],
        ['notes', 1, undefined],
      ],
    );
    assert.deepEqual(
      byModel.map(({ calls, cost }) => [calls, cost]),
      [[1, 0.5]],
    );
  });

  test('callers in a circle stay where they are', () => {
    const tree = foldRun(log(called('a', 'b', 'x'), called('b', 'a', 'y'), called('c', 'c', 'z')));
    assert.deepEqual(
      Array.from(framesOf(tree), ({ skill }) => skill),
      ['x', 'y', 'z'],
    );
  });
});

test('the oldest open question comes first', () => {
  const events = log(
    ...[...begin('daily'), asked('f1', 'a', 'A?'), asked('f1', 'b', 'B?'), asked('f1', 'c', 'C?')],
    answered('f1', 'a', 'yes'),
  );
  assert.deepEqual(
    pendingOf(events).map(({ text }) => text),
    ['B?', 'C?'],
  );
  assert.deepEqual(pendingOf([]), []);
});
