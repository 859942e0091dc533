import type { LaterCase } from '../case.ts';

/** What cannot be shown before a family runs its skills. */
export const laterCases: readonly LaterCase[] = [
  { id: 'P30', what: 'values and fields of a table are no SQL', needs: 'table' },
];
