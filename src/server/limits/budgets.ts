import type { AgentError, LimitOptions } from '../../core/index.ts';
import type { Principal } from '../keys/principal.ts';

/** Checks the daily budgets of keys against what their runs have used. */
export interface Budgets {
  /**
   * Returns the limits for the next run, so that it cannot use more than what is left today. Returns
   * `limit.budget` (status 429) if nothing is left.
   */
  check(principal: Pick<Principal, 'keyId' | 'keyName' | 'budget'>): Promise<LimitOptions | AgentError>;
}
