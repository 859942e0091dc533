import { AgentError, counted, type RunEvent, type RunStatus } from '../../core/index.ts';
import {
  durationText,
  foldRun,
  framesOf,
  moneyText,
  buildTimeline,
  tokensText,
  explainRun,
  type RunDecision,
  type RunTree,
  type TimelineRow,
} from '../../views/index.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { eventJson, eventLine, printJson } from './print.ts';
import { paint, runColors } from './status.ts';
import { cutTo, oneLine, padTo, widthOf, wrapTo } from './text.ts';
import { runTimeText } from './time.ts';
import { drawTree } from './tree.ts';

/**
 * Prints an event log in the view that the flags select; the tree is the default. With `--json`, prints one
 * document.
 */
export function printView(events: readonly RunEvent[], status: RunStatus, invocation: Invocation): void {
  if (invocation.flags.json) printDocument(events, status, invocation);
  else printText(events, status, invocation);
}

function printDocument(events: readonly RunEvent[], status: RunStatus, { own, terminal }: Invocation): void {
  const tree = foldRun(events);
  const { runId } = tree;
  if (own['why'] === true) printJson(terminal, { ok: true, runId, reasons: explainRun(events) });
  else if (own['events'] === true) printJson(terminal, { ok: true, runId, events: events.map(eventJson) });
  else if (own['timeline'] === true)
    printJson(terminal, { ok: true, runId, rows: buildTimeline(tree, nowOf(tree, status)) });
  else printJson(terminal, { ok: true, status, run: tree });
}

function printText(events: readonly RunEvent[], status: RunStatus, { own, terminal }: Invocation): void {
  if (own['events'] === true) return terminal.out(events.map(eventLine).join(''));
  const tree = foldRun(events);
  const now = nowOf(tree, status);
  const { width } = terminal;
  const isInterrupted = status === 'interrupted';
  const lines =
    own['why'] === true
      ? reasonLines(explainRun(events), tree.startedAt, width)
      : own['timeline'] === true
        ? drawTimeline(tree, now, width ?? 100)
        : [headOf(tree, status, now, terminal), ...drawTree(tree, { now, width, terminal, isInterrupted })];
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}

function nowOf({ endedAt, updatedAt }: ReturnType<typeof foldRun>, status: RunStatus): number {
  return endedAt ?? (status === 'running' ? Date.now() : updatedAt);
}

/** Throws `usage.bad-input` if more than one of the given views is requested. */
export function mustBeOneView(own: Invocation['own'], views: readonly string[]): void {
  const asked = views.filter((view) => own[view] === true);
  if (asked.length < 2) return;
  throw new AgentError(
    'usage.bad-input',
    `${asked.map((view) => `--${view}`).join(' and ')} are different views.`,
    { hint: 'Use only one of these flags.' },
  );
}

/**
 * Formats a run as one line: id, status, time and total usage. The status is a parameter because the log does
 * not show whether a run was interrupted.
 */
export function headOf(tree: RunTree, status: RunStatus, now: number, terminal: Terminal): string {
  const { runId, counts, totalUsage: usage } = tree;
  const reused = [...framesOf(tree)].filter((frame) => frame.reused === true).length;
  const parts = [
    `run ${runId}`,
    status,
    counted(counts.frames + counts.leafCalls, 'call'),
    ...(reused === 0 ? [] : [`${reused} reused`]),
    runTimeText(tree, now),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    ...(tree.rerunOf === undefined ? [] : [`rerun of ${oneLine(tree.rerunOf)}`]),
  ];
  const line = cutTo(parts.join(' · '), terminal.width ?? Infinity);
  return line.replace(` ${status} `, ` ${paint(status, runColors[status], terminal)} `);
}

/** Formats decisions as lines. Pure. */
export function reasonLines(
  reasons: readonly RunDecision[],
  startedAt: number,
  width: number | undefined,
): readonly string[] {
  if (reasons.length === 0) return ['There are no decisions yet.'];
  const timeWidth = Math.max(...reasons.map((reason) => timeOf(reason, startedAt).length));
  return reasons.flatMap((reason) => linesOf(reason, startedAt, timeWidth, width));
}

const usualTime = 8; // The usual width of a formatted time, in characters.

/** Formats a single decision as lines, for use while the run's later decisions are not yet known. Pure. */
export function reasonAlone(
  reason: RunDecision,
  startedAt: number,
  width: number | undefined,
): readonly string[] {
  return linesOf(reason, startedAt, usualTime, width);
}

const narrowestText = 20;

/** Formats a decision with its location and the time since the run's start, wrapped to the width. */
function linesOf(
  reason: RunDecision,
  startedAt: number,
  timeWidth: number,
  width: number | undefined,
): readonly string[] {
  const where = reason.path.length === 0 ? '' : `${oneLine(reason.path.join(' › '))}: `;
  const said = `${where}${oneLine(reason.text)}`;
  const room = width === undefined ? undefined : Math.max(narrowestText, width - timeWidth - 2);
  const lines = room === undefined ? [said] : wrapTo(said.split(' '), ' ', room);
  const time = timeOf(reason, startedAt);
  return lines.map((line, index) => `${(index === 0 ? time : '').padStart(timeWidth)}  ${line}`);
}

function timeOf({ at }: RunDecision, startedAt: number): string {
  return durationText(at - startedAt);
}

type Kind = TimelineRow['spans'][number]['kind'];

const marks: Readonly<Record<Kind, string>> = {
  own: '█',
  model: '▓',
  step: '▒',
  child: '·',
  person: '?',
  idle: ' ',
};

const legend = ['█ own', '▓ model', '▒ step', '· waiting for a call', '? waiting for a person'];

const narrowestBar = 10;

/**
 * Draws a run as a waterfall, one line per call. All calls share a clock that skips the time in which no
 * process worked on the run. Pure.
 */
export function drawTimeline(tree: RunTree, now: number, width: number): readonly string[] {
  const rows = buildTimeline(tree, now);
  const clock = clockOf(tree, now);
  const names = rows.map(({ skill, depth }) => `${'  '.repeat(depth - 1)}${oneLine(skill)}`);
  const times = rows.map(({ from, to }) => durationText(clock(to) - clock(from)));
  const timeWidth = Math.max(0, ...times.map((time) => time.length));
  const room = Math.max(narrowestBar, width - timeWidth - 4);
  const nameWidth = Math.min(Math.max(0, ...names.map(widthOf)), Math.floor(room / 2));
  const columns = room - nameWidth;
  const scale = {
    clock,
    from: tree.startedAt,
    length: Math.max(1, clock(now) - clock(tree.startedAt)),
    columns,
  };
  const lines = rows.map((row, index) => {
    const name = padTo(cutTo(names[index] ?? '', nameWidth), nameWidth);
    return `${name}  ${barOf(row, scale)}  ${(times[index] ?? '').padStart(timeWidth)}`;
  });
  return [...lines, ...wrapTo(legend, '  ', width)];
}

interface Scale {
  readonly clock: (moment: number) => number;
  readonly from: number;
  readonly length: number;
  readonly columns: number;
}

/** Returns a function that converts timestamps to a clock that pauses while no process works on the run. */
function clockOf({ idle }: RunTree, now: number): (moment: number) => number {
  return (moment) =>
    idle.reduce((left, { startedAt, endedAt = now }) => {
      return left - Math.max(0, Math.min(moment, endedAt) - startedAt);
    }, moment);
}

/**
 * Draws a call's bar in the timeline. Even the shortest call is visible. Each cell shows the activity at the
 * midpoint of its interval.
 */
function barOf({ from, to, spans }: TimelineRow, { clock, from: start, length, columns }: Scale): string {
  const columnAt = (moment: number): number => ((clock(moment) - clock(start)) / length) * columns;
  const first = Math.min(columns - 1, Math.floor(columnAt(from)));
  const end = Math.min(columns, Math.max(first + 1, Math.round(columnAt(to))));
  const cells = Array.from({ length: end - first }, (_, index) => {
    const middle = first + index + 0.5;
    const span = spans.find((one) => columnAt(one.to) >= middle && one.kind !== 'idle') ?? spans.at(-1);
    return marks[span?.kind ?? 'own'];
  });
  return padTo(' '.repeat(first) + cells.join(''), columns);
}
