import { findCycles } from './find-cycles.ts';
import type { ResolvedStep } from './resolve-step.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';

const mostNames = 12;

/** Steps that wait for each other, one issue for each group of them, at the first of them in the plan. */
export function findCircles(steps: readonly ResolvedStep[]): readonly SopIssue[] {
  const orders = new Map<string, number>();
  for (const [order, { name }] of steps.entries()) if (!orders.has(name)) orders.set(name, order);
  const needs = steps.map((step) => step.needs.flatMap((name) => orders.get(name) ?? []));
  return findCycles(needs).flatMap((round) => {
    const [first, ...rest] = round.flatMap((order) => steps[order] ?? []);
    if (first === undefined) return [];
    const way = [first, ...rest].map(({ name }) => name);
    const shown = way.length > mostNames ? [...way.slice(0, mostNames), '…'] : way;
    const message =
      rest.length === 0
        ? `"${first.name}" refers to itself.`
        : `These steps need each other: ${[...shown, first.name].join(' → ')}.`;
    return [errorAt(first.place, 'sop.cycle', message, 'Take away one of the references.')];
  });
}
