import type { Condition } from '../request/request.ts';
import type { Clock, Table } from '../table.ts';

/** The condition that a whole text is. */
export function readCondition(
  _table: Pick<Table, 'fields' | 'find'>,
  _words: string,
  _clock: Clock,
): { readonly condition: Condition } | { readonly fault: string; readonly at: number } {
  return { fault: 'It is no condition.', at: 0 };
}
