import type { LaterCase } from '../case.ts';

/** What cannot be shown before a family runs its skills. */
export const laterCases: readonly LaterCase[] = [
  { id: 'P28', what: 'an empty list for the preparation means no tools', needs: 'orchestrator' },
  { id: 'P30', what: 'values and fields of a table are no SQL', needs: 'table' },
];
