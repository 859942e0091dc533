import type { Change, ChangeFault, LastWrite } from '../records/change.ts';
import type { TableRow } from '../table.ts';

/** The changes required for a draft, and any problems with them. */
export interface ChangePlan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  readonly isUnchanged: boolean;
  readonly changes: readonly Change[];
  /** The number of changes that were left out because of faults, if the request allows partial changes. */
  readonly leftOut?: number;
  /** The record to show, if the draft shows a single record. */
  readonly row?: TableRow;
  /** The earlier change to undo, if the draft is an undo. */
  readonly last?: LastWrite;
}

/** A plan that changes nothing. */
export const noPlan: ChangePlan = { found: 0, missing: [], faults: [], isUnchanged: false, changes: [] };
