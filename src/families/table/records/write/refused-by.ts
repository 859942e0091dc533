import { isAgentError, isJsonObject, reasonOf } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsContext } from '../records-context.ts';

/** Returns the reason why the database refused a change, or undefined if the error has another cause. */
export function refusedBy(thrown: unknown): 'unique' | 'other' | undefined {
  if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input' || !isJsonObject(thrown.details))
    return undefined;
  const { refused } = thrown.details;
  return refused === 'unique' || refused === 'other' ? refused : undefined;
}

/**
 * Creates a fault for a change that the database refused. If there are several changes, it is not known which
 * one was refused.
 */
export function refusedFault(
  { table }: RecordsContext,
  changes: readonly Change[],
  thrown: unknown,
): ChangeFault {
  const what = changes.length === 1 ? 'the change' : `one of ${changes.length} changes`;
  return { index: 0, message: `The database refused ${what} of ${table.name}: ${reasonOf(thrown)}` };
}
