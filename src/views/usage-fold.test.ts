import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
import {
  at,
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
  type LogEntry,
} from '../../test/support/events.ts';
import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import { foldRun } from './run-tree.ts';
import { createUsageFold, sumUsageBy, type GroupUsage, type UsageEntry } from './usage-fold.ts';
import { sumUsage } from './usage.ts';

const { createLoop } = openLoops(import.meta);
const day = 86_400_000;

function entriesOf(...logs: readonly (readonly RunEvent[])[]): readonly UsageEntry[] {
  const fold = createUsageFold();
  for (const event of logs.flat()) fold.add(event);
  return fold.entries();
}

function named(runId: string, ...entries: readonly LogEntry[]): readonly RunEvent[] {
  return log(...entries).map((event) => ({ ...event, runId }));
}

function usageOf({ inputTokens, outputTokens, cost }: Usage): readonly unknown[] {
  return [inputTokens, outputTokens, cost];
}

test('usage is divided by day, skill, model, user and key', () => {
  const one = named(
    'r1',
    ...begin('daily', { user: 'anna', client: 'k1' }),
    at(10, modelStarted('f1', 'm1', 'any/large')),
    at(20, modelEnded('f1', 'm1', { inputTokens: 100, outputTokens: 10, cost: 0.25 })),
    called('f2', 'f1', 'notes'),
    at(30, modelStarted('f2', 'm1')),
    at(day, modelEnded('f2', 'm1', { inputTokens: 5, outputTokens: 1 })),
    runEnded('failed', failed('no')),
  );
  const other = named(
    'r2',
    runStarted('', { user: 'ben' }),
    modelStarted('', 'choose'),
    modelEnded('', 'choose', { inputTokens: 7, outputTokens: 2, cost: 0.5 }),
    { type: 'skill.selected', skill: 'daily', by: 'model' },
    runEnded('cancelled', failed('stop')),
  );
  const entries = entriesOf(one, other);
  const by = (...fields: readonly (keyof UsageEntry & ('day' | 'skill' | 'model' | 'user' | 'client'))[]) =>
    sumUsageBy(entries, fields).map((row) => [
      ...fields.map((field) => row[field]),
      ...[row.runs, row.failed, row.cancelled, row.modelSteps, ...usageOf(row)],
    ]);
  assert.deepEqual(by(), [[2, 1, 1, 3, 112, 13, 0.75]]);
  assert.deepEqual(by('day'), [
    ['1970-01-01', 2, 0, 1, 2, 107, 12, 0.75],
    ['1970-01-02', 0, 1, 0, 1, 5, 1, undefined],
  ]);
  assert.deepEqual(by('skill'), [
    ['daily', 2, 1, 1, 1, 100, 10, 0.25],
    ['notes', 0, 0, 0, 1, 5, 1, undefined],
    ['', 0, 0, 0, 1, 7, 2, 0.5],
  ]);
  assert.deepEqual(by('model'), [
    ['', 2, 1, 1, 0, 0, 0, undefined],
    ['any/large', 0, 0, 0, 1, 100, 10, 0.25],
    ['any/small', 0, 0, 0, 2, 12, 3, 0.5],
  ]);
  assert.deepEqual(by('user', 'client'), [
    ['anna', 'k1', 1, 1, 0, 2, 105, 11, 0.25],
    ['ben', '', 1, 0, 1, 1, 7, 2, 0.5],
  ]);
});

test('what a rerun copies from an earlier run is not counted again', () => {
  const copy = named(
    'r2',
    runStarted('daily', { rerunOf: 'r1' }),
    modelStarted('f1', 'm1'),
    modelEnded('f1', 'm1', { inputTokens: 9, outputTokens: 9 }),
    called('f1', '', 'daily'),
    resumed,
    modelStarted('f1', 'm2'),
    modelEnded('f1', 'm2', { inputTokens: 1, outputTokens: 2 }),
    runEnded('done', done()),
  );
  const [sum] = sumUsageBy(entriesOf(copy), []);
  assert.deepEqual([sum?.inputTokens, sum?.outputTokens, sum?.modelSteps, sum?.runs], [1, 2, 1, 1]);
});

test('old days can be dropped', () => {
  const fold = createUsageFold();
  for (const [runId, start] of [
    ['r1', 0],
    ['r2', day],
  ] as const)
    for (const event of named(runId, at(start, runStarted('a')), runEnded('done', done()))) fold.add(event);
  fold.dropBefore('1970-01-02');
  assert.deepEqual(
    fold.entries().map((entry) => entry.day),
    ['1970-01-02'],
  );
});

const amount = fc.nat(1_000);
// Costs are multiples of 1/64, so that their sums are exact in any order.
const usage = fc
  .record({ inputTokens: amount, outputTokens: amount, cost: fc.option(amount, { nil: undefined }) })
  .map(({ cost, ...tokens }) => (cost === undefined ? tokens : { ...tokens, cost: cost / 64 }));
const frame = fc.constantFrom('', 'f1', 'f2', 'f3', 'never');
const move = fc.oneof(
  fc.tuple(frame, frame, fc.constantFrom('a', 'b')).map(([id, parent, skill]) => called(id, parent, skill)),
  fc.tuple(frame, fc.nat(2)).map(([id, key]) => modelStarted(id, `m${key}`, `any/${key}`)),
  {
    weight: 3,
    arbitrary: fc.tuple(frame, fc.nat(2), usage).map(([id, key, used]) => modelEnded(id, `m${key}`, used)),
  },
  frame.filter((id) => id !== '').map((id) => ended(id)),
  fc.constant(resumed),
);
const anyRun = fc
  .record({
    more: fc.record(
      { rerunOf: fc.constant('r0'), user: fc.constantFrom('anna', 'ben') },
      { requiredKeys: [] },
    ),
    skill: fc.constantFrom('', 'a'),
    moves: fc.array(move, { maxLength: 30 }),
    steps: fc.array(fc.nat(day), { minLength: 40, maxLength: 40 }),
    end: fc.option(fc.constantFrom('done', 'failed', 'cancelled')),
  })
  .map(({ more, skill, moves, steps, end }) => {
    let now = 0;
    const entries = [runStarted(skill, more), ...moves, ...(end === null ? [] : [runEnded(end, done())])];
    return entries.map((entry, index) => at((now += steps[index] ?? 0), entry));
  });
const anyLogs = fc
  .array(anyRun, { maxLength: 6 })
  .map((runs) => runs.map((entries, index) => named(`r${index + 1}`, ...entries)));
const exact = createLoop({ small: 200, full: 20_000 });

test('the usage of random runs adds up exactly to the usage of their trees', () => {
  fc.assert(
    fc.property(anyLogs, fc.infiniteStream(fc.nat(9)), (logs, choices) => {
      const fold = createUsageFold();
      addInAnyOrder(fold.add, logs, choices);
      const entries = fold.entries();
      const trees = logs.map((events) => foldRun(events));
      const total = trees.reduce<Usage>((sum, tree) => addUsage(sum, tree.totalUsage), noUsage);
      assert.deepEqual(usageOf(sumUsageBy(entries, [])[0] ?? noUsage), usageOf(total));
      // A frame that a rerun copied and then continues is not among the skills of a tree.
      const fresh = logs.filter(([start]) => start?.type === 'run.started' && start.rerunOf === undefined);
      for (const skill of ['a', 'b']) {
        const found = sumUsageBy(entriesOf(...fresh), ['skill']).find((row) => row.skill === skill);
        const rows = fresh.flatMap((events) => sumUsage(events).bySkill.filter(({ name }) => name === skill));
        const expected = rows.reduce<Usage>((sum, row) => addUsage(sum, row), noUsage);
        assert.deepEqual(usageOf(found ?? noUsage), usageOf(expected));
      }
      const users = sumUsageBy(entries, ['user']).reduce<Usage>((sum, row) => addUsage(sum, row), noUsage);
      assert.deepEqual(usageOf(users), usageOf(total));
      const count = (name: keyof GroupUsage): number =>
        entries.reduce((sum, entry) => sum + (entry[name] ?? 0), 0);
      const endedAs = (status: string): number => trees.filter((tree) => tree.status === status).length;
      assert.deepEqual([count('failed'), count('cancelled')], [endedAs('failed'), endedAs('cancelled')]);
      assert.ok(count('runs') <= logs.length);
    }),
    exact.runs(),
  );
});

/** Adds the events of several runs as they are mixed in a store, and some of them twice. */
function addInAnyOrder(
  add: (event: RunEvent) => void,
  logs: readonly (readonly RunEvent[])[],
  choices: Iterator<number>,
): void {
  const rest = logs.map((events) => [...events]);
  while (rest.some((events) => events.length > 0)) {
    const choice = Number(choices.next().value);
    const events = rest[choice % rest.length] ?? [];
    const event = events.shift();
    if (event === undefined) continue;
    add(event);
    if (choice > 6) for (const again of (logs[choice % logs.length] ?? []).slice(0, event.seq)) add(again);
  }
}
