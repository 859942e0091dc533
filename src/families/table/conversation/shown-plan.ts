import type { ChangeFault } from '../records/change.ts';

/**
 * The result of planning a draft, as it is recorded and shown to users. It does not contain the records,
 * which are read again. A different `digest` means that the records have changed.
 */
export interface ShownPlan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  readonly faultCount: number;
  readonly isUnchanged: boolean;
  readonly leftOut: number;
  readonly digest: string;
  readonly text: string;
}
