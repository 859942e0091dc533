import type { ChangeFault } from '../records/change.ts';

/**
 * What was found out about a draft, as it is kept and as people saw it. Records themselves are not kept: they are read
 * again, and `digest` tells whether they are still what was shown.
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
