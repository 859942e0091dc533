import { optional } from '../core/collections.ts';
import type { CheckResult, Examined } from './check.ts';

/** Where records are kept, and whether that can be opened. */
export function checkRecords({ database: { place, kind, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'they cannot be kept where they should be';
    return { id: 'records', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  const summary =
    kind === undefined
      ? `none yet; the first one makes ${place}`
      : `kept by ${kind === 'sqlite' ? 'SQLite in' : 'PostgreSQL in'} ${place}`;
  return { id: 'records', status: 'ok', summary, details: [] };
}
