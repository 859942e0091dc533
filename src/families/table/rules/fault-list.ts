import { optional } from '../../../core/index.ts';
import type { ChangeFault } from '../records/change.ts';

/**
 * Collects faults. Keeps only the first fault for each field of a record, because later faults may be
 * consequences of the first.
 */
export interface FaultList {
  add(index: number, message: string, field?: string): void;
  /** Whether a record has no faults. */
  isClean(index: number): boolean;
  /** Returns all faults, grouped and sorted by record. */
  all(): readonly ChangeFault[];
}

/** Creates an empty fault list. */
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
