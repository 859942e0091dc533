import { errorAt, type SopIssue } from '../index.ts';
import type { ResolvedStep } from './resolve-step.ts';

const maxNames = 12;

/** Finds steps that wait for each other. Returns one issue per cycle, at the position of its first step. */
export function findCircles(steps: readonly ResolvedStep[]): readonly SopIssue[] {
  const orders = new Map<string, number>();
  for (const [order, { name }] of steps.entries()) if (!orders.has(name)) orders.set(name, order);
  const needs = steps.map((step) => step.needs.flatMap((name) => orders.get(name) ?? []));
  return findCycles(needs).flatMap((round) => {
    const [first, ...rest] = round.flatMap((order) => steps[order] ?? []);
    if (first === undefined) return [];
    const way = [first, ...rest].map(({ name }) => name);
    const shown = way.length > maxNames ? [...way.slice(0, maxNames), '…'] : way;
    const message =
      rest.length === 0
        ? `"${first.name}" refers to itself.`
        : `These steps depend on each other: ${[...shown, first.name].join(' → ')}.`;
    return [errorAt(first.position, 'sop.cycle', message, 'Remove one of the references.')];
  });
}

/**
 * Finds one cycle in each group of nodes that depend on each other. A cycle starts with its lowest node,
 * which is not repeated at the end. Nodes are numbers, and `needs` contains the dependencies of each node.
 * Pure, linear and not recursive.
 */
export function findCycles(needs: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return groupsOf(needs)
    .map((group) => shortestRound(needs, group))
    .sort(([one = 0], [other = 0]) => one - other);
}

interface Visit {
  readonly node: number;
  next: number;
}

/**
 * Returns the strongly connected components that contain a cycle, using Tarjan's algorithm with an explicit
 * stack.
 */
function groupsOf(needs: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const seen = new Int32Array(needs.length).fill(-1);
  const lowest = new Int32Array(needs.length);
  const isOpen = new Uint8Array(needs.length);
  const open: number[] = [];
  const groups: (readonly number[])[] = [];
  let count = 0;
  for (const start of needs.keys()) {
    if (seen[start] !== -1) continue;
    const visits: Visit[] = [];
    const enter = (node: number): void => {
      seen[node] = lowest[node] = count++;
      isOpen[node] = 1;
      open.push(node);
      visits.push({ node, next: 0 });
    };
    enter(start);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { node } = visit;
      const need = needs[node]?.[visit.next++];
      if (need !== undefined) {
        if (seen[need] === -1) enter(need);
        else if (isOpen[need] === 1) lower(lowest, node, seen[need]);
        continue;
      }
      visits.pop();
      const before = visits.at(-1);
      if (before !== undefined) lower(lowest, before.node, lowest[node]);
      if (lowest[node] !== seen[node]) continue;
      const group = open.splice(open.lastIndexOf(node));
      for (const member of group) isOpen[member] = 0;
      if (group.length > 1 || needs[node]?.includes(node) === true) groups.push(group);
    }
  }
  return groups;
}

function lower(lowest: Int32Array, node: number, value = 0): void {
  lowest[node] = Math.min(lowest[node] ?? 0, value);
}

function shortestRound(needs: readonly (readonly number[])[], group: readonly number[]): readonly number[] {
  const start = group.reduce((least, node) => Math.min(least, node));
  const members = new Set(group);
  const from = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const need of needs[node] ?? []) {
      if (need === start) return wayTo(node, from);
      if (!members.has(need) || from.has(need)) continue;
      from.set(need, node);
      queue.push(need);
    }
  }
  return [start];
}

function wayTo(end: number, from: ReadonlyMap<number, number>): readonly number[] {
  const way: number[] = [];
  for (let node: number | undefined = end; node !== undefined; node = from.get(node)) way.push(node);
  return way.reverse();
}
