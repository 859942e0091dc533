import type { Change, ChangeFault } from '../records/change.ts';
import type { LastWrite } from '../records/records.ts';
import type { TableRow } from '../table.ts';

/** What a draft comes to at this moment. */
export interface ChangePlan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  readonly isUnchanged: boolean;
  readonly changes: readonly Change[];
  /** How many changes with faults are not among them, where that was asked for. */
  readonly leftOut?: number;
  /** The one record that is to be shown. */
  readonly row?: TableRow;
  /** The change that is to be taken back. */
  readonly last?: LastWrite;
}

/** What comes of nothing. */
export const noPlan: ChangePlan = { found: 0, missing: [], faults: [], isUnchanged: false, changes: [] };
