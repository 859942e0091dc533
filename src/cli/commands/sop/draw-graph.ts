import { cutTo, oneLine, padTo, widthOf, wrapTo } from '../../output/text.ts';
import type { GraphEdge, GraphNode, SopGraph } from './build-graph.ts';

/** Lines in which the steps of one wave stand together, each with what it waits for; where no width is given, for 80 columns and whole. */
export function drawGraph({ nodes, edges }: SopGraph, width: number | undefined): readonly string[] {
  const needs = Map.groupBy(edges, ({ to }) => to);
  const waves = [...Map.groupBy(nodes, ({ wave }) => wave ?? cyclic)].sort(([a], [b]) => a - b);
  const rows = waves.flatMap(([wave, members], index) => [
    ...(index === 0 ? [] : [{ ...empty, branch: wave === cyclic ? '' : '↓' }]),
    ...members.map((node, place) => ({
      number: place > 0 ? '' : wave === cyclic ? '↻' : String(wave),
      branch: branchAt(place, members.length),
      name: oneLine(node.name),
      command: commandOf(node),
      needs: (needs.get(node.name) ?? []).map(useOf),
    })),
  ]);
  const columns = columnsFor(rows, width);
  return rows.flatMap((row) => linesOf(row, columns));
}

/** What comes to no value stands behind everything else. */
const cyclic = Infinity;

interface Row {
  /** Of its wave. */
  readonly number: string;
  readonly branch: string;
  readonly name: string;
  readonly command: string;
  readonly needs: readonly string[];
}

const empty: Row = { number: '', branch: '', name: '', command: '', needs: [] };

function branchAt(place: number, count: number): string {
  if (count === 1) return '─';
  return place === 0 ? '┬' : place === count - 1 ? '└' : '├';
}

function commandOf({ kind, command = '', isEach }: GraphNode): string {
  if (kind !== 'step') return kind === 'input' ? '(supplied)' : '(not declared)';
  return `${oneLine(command)}${isEach === true ? ' ×' : ''}`;
}

/** With a comma where another follows. */
function useOf({ from, kind, isNegated }: GraphEdge, index: number, all: readonly GraphEdge[]): string {
  const words = { value: '', list: 'each ', guard: isNegated === true ? 'when not ' : 'when ' };
  return `${words[kind]}${oneLine(from)}${index < all.length - 1 ? ',' : ''}`;
}

interface Columns {
  readonly number: number;
  readonly name: number;
  readonly command: number;
  /** Of the whole line; undefined when nothing may be cut. */
  readonly width: number | undefined;
}

const usualWidth = 80;

/** A single long name does not make its column wider than a quarter of the line, or what the other column leaves of both quarters. */
function columnsFor(rows: readonly Row[], width: number | undefined): Columns {
  const most = Math.floor((width ?? usualWidth) / 4);
  const name = widestOf(rows.map((row) => row.name));
  const command = widestOf(rows.map((row) => row.command));
  return {
    number: widestOf(rows.map(({ number }) => number)),
    name: Math.min(name, Math.max(most, 2 * most - command)),
    command: Math.min(command, Math.max(most, 2 * most - name)),
    width,
  };
}

function widestOf(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0);
}

/** What a step waits for goes on below itself where one line is too short. */
function linesOf({ number, branch, name, command, needs }: Row, columns: Columns): readonly string[] {
  const { width } = columns;
  const stem = branch === '┬' || branch === '├' ? '│' : ' ';
  const start = `${number.padStart(columns.number)} ${branch} ${padTo(name, columns.name)}  ${padTo(command, columns.command)}`;
  const below = padTo(
    `${' '.repeat(columns.number)} ${stem}`,
    columns.number + columns.name + columns.command + 9,
  );
  const room = (width ?? usualWidth) - widthOf(below);
  const [first, ...more] = wrapTo(needs, ' ', width === undefined ? Math.max(room, widestOf(needs)) : room);
  const lines = [first === undefined ? start : `${start}  ← ${first}`, ...more.map((part) => below + part)];
  return lines.map((line) => (width === undefined ? line : cutTo(line, width)).trimEnd());
}
