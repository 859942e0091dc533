import { durationText } from '../../views/text.ts';
import type { RunTree } from '../../views/run-node.ts';
import { timelineOf, type TimelineRow } from '../../views/timeline.ts';
import { cutTo, oneLine, padTo, widthOf, wrapTo } from './text.ts';

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

const narrowest = 10;

/** A run as a waterfall: one line for each call on one clock, from which the time in which nobody worked is left out. Pure. */
export function drawTimeline(tree: RunTree, now: number, width: number): readonly string[] {
  const rows = timelineOf(tree, now);
  const clock = clockOf(tree, now);
  const names = rows.map(({ skill, depth }) => `${'  '.repeat(depth - 1)}${oneLine(skill)}`);
  const times = rows.map(({ from, to }) => durationText(clock(to) - clock(from)));
  const timeWidth = Math.max(0, ...times.map((time) => time.length));
  const room = Math.max(narrowest, width - timeWidth - 4);
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
