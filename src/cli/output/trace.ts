import { AgentError, type RunEvent, type RunStatus } from '../../core/index.ts';
import { count } from '../../doctor/report.ts';
import {
  durationText,
  foldRun,
  framesOf,
  moneyText,
  timelineOf,
  tokensText,
  whyOf,
  type Reason,
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

/** Prints a log as the view that the flags ask for, the tree unless one does; as one document with `--json`. */
export function printView(events: readonly RunEvent[], status: RunStatus, invocation: Invocation): void {
  if (invocation.flags.json) printDocument(events, status, invocation);
  else printText(events, status, invocation);
}

function printDocument(events: readonly RunEvent[], status: RunStatus, { own, terminal }: Invocation): void {
  const tree = foldRun(events);
  const { runId } = tree;
  if (own['why'] === true) printJson(terminal, { ok: true, runId, reasons: whyOf(events) });
  else if (own['events'] === true) printJson(terminal, { ok: true, runId, events: events.map(eventJson) });
  else if (own['timeline'] === true)
    printJson(terminal, { ok: true, runId, rows: timelineOf(tree, nowOf(tree, status)) });
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
      ? reasonLines(whyOf(events), tree.startedAt, width)
      : own['timeline'] === true
        ? drawTimeline(tree, now, width ?? 100)
        : [headOf(tree, status, now, terminal), ...drawTree(tree, { now, width, terminal, isInterrupted })];
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}

function nowOf({ endedAt, updatedAt }: ReturnType<typeof foldRun>, status: RunStatus): number {
  return endedAt ?? (status === 'running' ? Date.now() : updatedAt);
}

/** Throws `usage.bad-input` when more than one of these views is asked for. */
export function mustBeOneView(own: Invocation['own'], views: readonly string[]): void {
  const asked = views.filter((view) => own[view] === true);
  if (asked.length < 2) return;
  throw new AgentError(
    'usage.bad-input',
    `${asked.map((view) => `--${view}`).join(' and ')} are two views.`,
    { hint: 'Choose one.' },
  );
}

/** A run in one line: id, status, time, and what it used in all; its log does not know that it was interrupted. */
export function headOf(tree: RunTree, status: RunStatus, now: number, terminal: Terminal): string {
  const { runId, counts, totalUsage: usage } = tree;
  const reused = [...framesOf(tree)].filter((frame) => frame.reused === true).length;
  const parts = [
    `run ${runId}`,
    status,
    count(counts.frames + counts.leafCalls, 'call'),
    ...(reused === 0 ? [] : [`${reused} reused`]),
    runTimeText(tree, now),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    ...(tree.rerunOf === undefined ? [] : [`rerun of ${oneLine(tree.rerunOf)}`]),
  ];
  const line = cutTo(parts.join(' · '), terminal.width ?? Infinity);
  return line.replace(` ${status} `, ` ${paint(status, runColors[status], terminal)} `);
}

/** Decisions in lines. Pure. */
export function reasonLines(
  reasons: readonly Reason[],
  startedAt: number,
  width: number | undefined,
): readonly string[] {
  if (reasons.length === 0) return ['Nothing was decided yet.'];
  const timeWidth = Math.max(...reasons.map((reason) => timeOf(reason, startedAt).length));
  return reasons.flatMap((reason) => linesOf(reason, startedAt, timeWidth, width));
}

const usualTime = 8; // columns

/** One decision in lines, before it is known which others come. Pure. */
export function reasonAlone(reason: Reason, startedAt: number, width: number | undefined): readonly string[] {
  return linesOf(reason, startedAt, usualTime, width);
}

const narrowestText = 20;

/** When since the start, where, and what; in as many lines as the width asks for. */
function linesOf(
  reason: Reason,
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

function timeOf({ at }: Reason, startedAt: number): string {
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

const legend = ['█ own', '▓ model', '▒ step', '· waits for a call', '? waits for a person'];

const narrowestBar = 10;

/** A run as a waterfall: one line for each call on one clock, from which the time in which nobody worked is left out. Pure. */
export function drawTimeline(tree: RunTree, now: number, width: number): readonly string[] {
  const rows = timelineOf(tree, now);
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

/** Moments on a clock that stands still while nobody works on the run. */
function clockOf({ idle }: RunTree, now: number): (moment: number) => number {
  return (moment) =>
    idle.reduce((left, { startedAt, endedAt = now }) => {
      return left - Math.max(0, Math.min(moment, endedAt) - startedAt);
    }, moment);
}

/** Every call is seen, however short; a cell is what its middle was spent on. */
function barOf({ from, to, spans }: TimelineRow, { clock, from: start, length, columns }: Scale): string {
  const place = (moment: number): number => ((clock(moment) - clock(start)) / length) * columns;
  const first = Math.min(columns - 1, Math.floor(place(from)));
  const end = Math.min(columns, Math.max(first + 1, Math.round(place(to))));
  const cells = Array.from({ length: end - first }, (_, index) => {
    const middle = first + index + 0.5;
    const span = spans.find((one) => place(one.to) >= middle && one.kind !== 'idle') ?? spans.at(-1);
    return marks[span?.kind ?? 'own'];
  });
  return padTo(' '.repeat(first) + cells.join(''), columns);
}
