import { arrowLines, type ArrowRow } from '../../output/arrow-lines.ts';
import { oneLine } from '../../output/text.ts';
import { withCommas } from '../../output/with-commas.ts';
import type { GraphEdge, GraphNode, SopGraph } from './build-graph.ts';

/** Lines in which the steps of one wave stand together, each with what it waits for; where no width is given, for 80 columns and whole. */
export function drawGraph({ nodes, edges }: SopGraph, width: number | undefined): readonly string[] {
  const needs = Map.groupBy(edges, ({ to }) => to);
  const waves = [...Map.groupBy(nodes, ({ wave }) => wave ?? cyclic)].sort(([a], [b]) => a - b);
  const digits = waves.reduce((most, [wave]) => Math.max(most, signOf(wave).length), 0);
  const rows = waves.flatMap(([wave, members], index) => [
    ...(index === 0 ? [] : [{ ...empty, start: `${' '.repeat(digits)} ${wave === cyclic ? '' : '↓'}` }]),
    ...members.map((node, place): ArrowRow => {
      const branch = branchAt(place, members.length);
      const stem = branch === '┬' || branch === '├' ? '│' : '';
      return {
        start: `${(place > 0 ? '' : signOf(wave)).padStart(digits)} ${branch} `,
        stem: `${' '.repeat(digits)} ${stem}`,
        cells: [oneLine(node.name), commandOf(node)],
        arrow: '←',
        parts: withCommas((needs.get(node.name) ?? []).map(useOf)),
      };
    }),
  ]);
  return arrowLines(rows, width);
}

/** What comes to no value stands behind everything else. */
const cyclic = Infinity;

const empty: ArrowRow = { start: '', stem: '', cells: ['', ''], arrow: '←', parts: [] };

/** Of a wave, in front of its first step. */
function signOf(wave: number): string {
  return wave === cyclic ? '↻' : String(wave);
}

function branchAt(place: number, count: number): string {
  if (count === 1) return '─';
  return place === 0 ? '┬' : place === count - 1 ? '└' : '├';
}

function commandOf({ kind, command = '', isEach }: GraphNode): string {
  if (kind !== 'step') return kind === 'input' ? '(supplied)' : '(not declared)';
  return `${oneLine(command)}${isEach === true ? ' ×' : ''}`;
}

function useOf({ from, kind, isNegated }: GraphEdge): string {
  const words = { value: '', list: 'each ', guard: isNegated === true ? 'when not ' : 'when ' };
  return `${words[kind]}${oneLine(from)}`;
}
