import type { PlanStep } from '../plan.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';

/** Every declaration of a variable behind its first. */
export function findDuplicates(steps: readonly PlanStep[]): readonly SopIssue[] {
  const lines = new Map<string, number>();
  return steps.flatMap(({ name, place }) => {
    const first = lines.get(name);
    if (first === undefined) {
      lines.set(name, place.line);
      return [];
    }
    const hint = `Line ${first} declares it first; give one of them another name.`;
    return [errorAt(place, 'sop.duplicate', `The variable "${name}" is declared twice.`, hint)];
  });
}
