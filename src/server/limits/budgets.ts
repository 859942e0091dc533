import { AgentError, optional, type LimitOptions } from '../../core/index.ts';
import { dayOf, sumUsageBy } from '../../views/index.ts';
import type { Principal } from '../keys/principal.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** Checks the daily budgets of keys against what their runs have used. */
export interface Budgets {
  /**
   * Returns the limits for the next run, so that it cannot use more than what is left today. Returns
   * `limit.budget` (status 429) if nothing is left; `details.retryAfter` is the time until midnight UTC in
   * seconds. Runs that start at once each get all that is left.
   */
  check(principal: Pick<Principal, 'keyId' | 'keyName' | 'budget'>): Promise<LimitOptions | AgentError>;
}

/** Opens the budgets of keys. Only runs that record the key as their `client` count. */
export function createBudgets(ledger: UsageLedger, now: () => number = Date.now): Budgets {
  return {
    async check({ keyId, keyName, budget = {} }) {
      const { cost, tokens } = budget;
      if (cost === undefined && tokens === undefined) return {};
      const today = dayOf(now());
      const own = (await ledger.read()).filter(({ day, client }) => day === today && client === keyId);
      const { cost: spent = 0, inputTokens = 0, outputTokens = 0 } = sumUsageBy(own, [])[0] ?? {};
      const left = {
        ...optional('cost', cost === undefined ? undefined : cost - spent),
        ...optional('tokens', tokens === undefined ? undefined : tokens - inputTokens - outputTokens),
      };
      if (Object.values(left).every((amount) => amount > 0)) return left;
      const retryAfter = Math.ceil((Date.parse(today) + 86_400_000 - now()) / 1_000);
      return new AgentError('limit.budget', `The key "${keyName}" has used its budget for today.`, {
        hint: 'Wait until midnight UTC, or use a key with a higher budget.',
        details: { retryAfter },
      });
    },
  };
}

/** Returns the lowest value of each limit. Pure. */
export function strictestLimits(...all: readonly (LimitOptions | undefined)[]): LimitOptions {
  const found: Record<string, number> = {};
  for (const limits of all)
    for (const [name, value] of Object.entries(limits ?? {}))
      if (typeof value === 'number') found[name] = Math.min(value, found[name] ?? Infinity);
  return found;
}
