import { isAgentError, isJsonObject, reasonOf } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';

/** What the database itself refused a change for; undefined when something else went wrong. */
export function refusedBy(thrown: unknown): 'unique' | 'other' | undefined {
  if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input' || !isJsonObject(thrown.details))
    return undefined;
  const { refused } = thrown.details;
  return refused === 'unique' || refused === 'other' ? refused : undefined;
}

/** A refusal of the database as a fault; which of several changes it is about, the database does not say. */
export function refusedFault(
  { table }: RecordsGround,
  changes: readonly Change[],
  thrown: unknown,
): ChangeFault {
  const what = changes.length === 1 ? 'the change' : `one of ${changes.length} changes`;
  return { index: 0, message: `The database did not take ${what} of ${table.name}: ${reasonOf(thrown)}` };
}
