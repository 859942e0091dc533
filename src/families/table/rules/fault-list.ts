import { optional } from '../../../core/index.ts';
import type { ChangeFault } from '../records/change.ts';

/** Faults as they are found; of one field of one record only the first counts, which the others may follow from. */
export interface FaultList {
  add(index: number, message: string, field?: string): void;
  /** Whether nothing is known against a record. */
  isClean(index: number): boolean;
  /** By record, in the order in which they were found. */
  all(): readonly ChangeFault[];
}

/** An empty list. */
export function createFaultList(): FaultList {
  const found = new Map<number, ChangeFault[]>();
  return {
    add(index, message, field) {
      const faults = found.get(index) ?? [];
      if (field !== undefined && faults.some((fault) => fault.field === field)) return;
      faults.push({ index, ...optional('field', field), message });
      found.set(index, faults);
    },
    isClean: (index) => !found.has(index),
    all: () => [...found].sort(([one], [other]) => one - other).flatMap(([, faults]) => faults),
  };
}
