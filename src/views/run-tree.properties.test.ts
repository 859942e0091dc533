import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
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
  stepEnded,
  stepStarted,
  waiting,
  type LogEntry,
} from '../../test/support/events.ts';
import type { RunEvent } from '../core/event.ts';
import { addUsage, noUsage, type Usage } from '../core/model.ts';
import type { OpenQuestion } from '../core/run.ts';
import { framesOf, type Branch, type FrameNode, type RunTree } from './run-node.ts';
import { resultOf } from './run-result.ts';
import { createRunFold, foldRun, pendingOf } from './run-tree.ts';
import { lineText, treeLines } from './text-tree.ts';
import { buildTimeline } from './timeline.ts';
import { sumUsage } from './usage.ts';
import { explainRun } from './why.ts';

const { createLoop } = openLoops(import.meta);
const artifact = { name: 'a.js', mediaType: 'text/javascript', text: 'code', digest: 'd' };

// A possible next event, with its frame, its activity, and the time until it happens.
const moves = [
  ...['call', 'call', 'leaf', 'end', 'fail', 'refuse', 'note', 'make'],
  ...['step', 'model', 'ask', 'approve', 'prepare', 'settle', 'settle', 'settle', 'crash', 'rest'],
] as const;
const move = fc.record({
  what: fc.constantFrom(...moves),
  where: fc.nat(50),
  which: fc.nat(50),
  later: fc.nat(40),
});
const anyLog = fc
  .tuple(fc.array(move, { maxLength: 60, size: 'max' }), fc.constantFrom('open', 'done', 'cancelled'))
  .map(([chosen, end]) => play(chosen, end));

const prefixes = createLoop({ small: 30, full: 1_000 });
const parts = createLoop({ small: 100, full: 3_000 });
const totals = createLoop({ small: 100, full: 3_000 });
const statuses = createLoop({ small: 100, full: 3_000 });
const spans = createLoop({ small: 100, full: 3_000 });

test('every prefix of a log can be shown, and folding further equals folding again', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      const fold = createRunFold();
      events.forEach((event, index) => {
        fold.add(event);
        const prefix = events.slice(0, index + 1);
        assert.deepEqual(fold.tree, foldRun(prefix));
        show(prefix);
      });
    }),
    prefixes.runs(),
  );
});

test('a log without some of its events, or in any order, can be shown', () => {
  const anyPart = anyLog.chain((events) => fc.shuffledSubarray([...events]));
  fc.assert(fc.property(anyPart, show), parts.runs());
});

test('the total of every branch is the sum of what it and those below it used', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      const tree = foldRun(events);
      for (const branch of [tree, ...framesOf(tree)]) {
        const own = [branch, ...framesOf(branch)].map(({ ownUsage }) => ownUsage);
        assert.deepEqual(branch.totalUsage, own.reduce(addUsage, noUsage));
      }
      const { total, bySkill, byModel } = sumUsage(events);
      assert.deepEqual(bill(total), bySkill.reduce<Usage>(addUsage, noUsage));
      assert.deepEqual(bill(total), byModel.reduce<Usage>(addUsage, noUsage));
    }),
    totals.runs(),
  );
});

test('the status of every branch is what a look at all below it says', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(120), (events, length) => {
      const tree = foldRun(events.slice(0, length));
      if (tree.status === 'running') assert.ok(canContinue(tree));
      for (const frame of framesOf(tree)) {
        if (frame.endedAt === undefined)
          assert.equal(frame.status, canContinue(frame) ? 'running' : 'waiting');
        else assert.equal(frame.status, frame.output?.status ?? 'failed');
      }
    }),
    statuses.runs(),
  );
});

test('the spans of a frame cover its time, touch and never overlap', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(120), (events, length) => {
      const tree = foldRun(events.slice(0, length));
      const now = tree.updatedAt + 7;
      const rows = buildTimeline(tree, now);
      assert.deepEqual(
        rows.map(({ frameId }) => frameId),
        Array.from(framesOf(tree), ({ id }) => id),
      );
      const frames = new Map(Array.from(framesOf(tree), (frame) => [frame.id, frame]));
      for (const { frameId, from, to, spans: own } of rows) {
        assert.deepEqual([from, to], [frames.get(frameId)?.startedAt, frames.get(frameId)?.endedAt ?? now]);
        let end = from;
        for (const span of own) {
          assert.equal(span.from, end);
          assert.ok(span.to > span.from);
          end = span.to;
        }
        assert.equal(end, to);
      }
    }),
    spans.runs(),
  );
});

function show(events: readonly RunEvent[]): void {
  const tree = foldRun(events);
  const texts = treeLines(tree, { now: tree.updatedAt, width: 60 }).map(lineText);
  assert.ok(texts.every((text) => !text.includes('\n')));
  buildTimeline(tree, tree.updatedAt);
  resultOf(tree);
  sumUsage(events);
  explainRun(events);
  assert.deepEqual(new Set(pendingOf(events)), new Set(openQuestions(tree)));
}

function openQuestions(tree: RunTree): readonly OpenQuestion[] {
  return [tree, ...framesOf(tree)].flatMap(({ activities }) =>
    activities.flatMap(({ question, endedAt }) =>
      question === undefined || endedAt !== undefined ? [] : [question],
    ),
  );
}

/** The rule in its simplest form: an unfinished branch can continue unless it only waits for a question. */
function canContinue(branch: Branch): boolean {
  const open = branch.activities.filter(({ endedAt }) => endedAt === undefined);
  const calls = branch.children.filter(
    (child): child is FrameNode => child.kind === 'frame' && child.endedAt === undefined,
  );
  if (open.some(({ question }) => question === undefined) || calls.some(canContinue)) return true;
  return open.length === 0 && calls.length === 0;
}

function bill({ inputTokens, outputTokens, cost }: Usage): Usage {
  return { inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
}

interface Move {
  readonly what: (typeof moves)[number];
  readonly where: number;
  readonly which: number;
  readonly later: number;
}

/**
 * Creates a log that a kernel could write. Frames end after everything that they started, and interrupted work
 * starts again.
 */
function play(chosen: readonly Move[], end: string): readonly RunEvent[] {
  const entries: LogEntry[] = [...begin('daily')];
  const open = new Map<string, { parent: string; leaf: boolean; begun: Map<string, Begun> }>();
  open.set('f1', { parent: '', leaf: false, begun: new Map() });
  let now = 100;
  let count = 1;
  const add = (entry: LogEntry): unknown => entries.push(at(now, entry));
  const endFrame = (id: string, isFailure: boolean): void => {
    add(ended(id, isFailure ? failed('No.') : done()));
    open.delete(id);
  };
  for (const { what, where, which, later } of chosen) {
    now += later;
    count += 1;
    const [id, frame] = [...open][where % Math.max(1, open.size)] ?? [];
    if (id === undefined || frame === undefined) break;
    const isCaller = [...open.values()].some(({ parent }) => parent === id);
    const effects = beginnings(id, `k${count}`, which);
    if (what in effects) {
      const effect = effects[what as keyof typeof effects];
      add(effect.start);
      frame.begun.set(`k${count}`, effect);
    } else if ((what === 'call' || what === 'leaf') && !frame.leaf) {
      const leaf = what === 'leaf';
      add(called(`f${count}`, id, `skill-${which % 3}`, { leaf }));
      open.set(`f${count}`, { parent: id, leaf, begun: new Map() });
    } else if ((what === 'end' || what === 'fail') && id !== 'f1' && !isCaller && frame.begun.size === 0) {
      endFrame(id, what === 'fail');
    } else if (what === 'refuse') add(refused(id, 'deploy', 'No.'));
    else if (what === 'note') add({ type: 'note.added', key: 'n', frameId: id, message: 'hello' });
    else if (what === 'make') add({ type: 'artifact.created', key: 'a', frameId: id, ...artifact });
    else if (what === 'settle') {
      const [key, effect] = [...frame.begun][which % Math.max(1, frame.begun.size)] ?? [];
      if (key === undefined || effect === undefined) continue;
      add(effect.end);
      frame.begun.delete(key);
    } else if (what === 'crash' || what === 'rest') {
      const begun = [...open.values()].flatMap((each) => [...each.begun.values()]);
      if (what === 'rest') add(waiting());
      now += which;
      add(resumed);
      for (const { start } of begun.filter(({ mayRepeat }) => mayRepeat)) add(start);
    }
  }
  if (end === 'open') return log(...entries);
  if (end === 'done') for (const id of [...open.keys()].reverse()) endFrame(id, false);
  add(runEnded(end === 'done' ? 'done' : 'cancelled', end === 'done' ? done() : failed('stopped')));
  return log(...entries);
}

interface Begun {
  readonly start: LogEntry;
  readonly end: LogEntry;
  readonly mayRepeat: boolean;
}

// Prices are multiples of one half, so that the order of addition does not matter.
function beginnings(
  id: string,
  key: string,
  which: number,
): Readonly<Record<'step' | 'model' | 'ask' | 'approve' | 'prepare', Begun>> {
  const usage = { inputTokens: which, outputTokens: 1, ...(which % 2 === 0 ? { cost: which / 2 } : {}) };
  const prepare = { frameId: id, run: key };
  return {
    step: { start: stepStarted(id, key), end: stepEnded(id, key), mayRepeat: true },
    model: { start: modelStarted(id, key), end: modelEnded(id, key, usage), mayRepeat: true },
    ask: { start: asked(id, key, 'Which\nday?'), end: answered(id, key, which), mayRepeat: false },
    approve: {
      start: approvalAsked(id, key, 'bash', 'notes'),
      end: approvalDecided(id, key, { allow: 'once' }),
      mayRepeat: false,
    },
    prepare: {
      start: { type: 'prepare.started', ...prepare },
      end: { type: 'prepare.ended', ...prepare },
      mayRepeat: true,
    },
  };
}
