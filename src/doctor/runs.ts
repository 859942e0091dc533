import { optional } from '../core/collections.ts';
import type { CheckResult, Examined } from './check.ts';

/** Where runs are kept, and whether the workspace has a store that is not the user's. */
export function checkRuns({ store: { place, foreign, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'they cannot be kept where they should be';
    return { id: 'runs', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  if (foreign === undefined) return { id: 'runs', status: 'ok', summary: `kept in ${place}`, details: [] };
  return {
    id: 'runs',
    status: 'warn',
    summary: `kept in ${place}, because the store in this workspace is not yours`,
    details: [`${foreign.file}: ${foreign.reason}`],
    hint: 'Look at it, and use it as your own if you trust it: `skilled runs adopt`',
  };
}
