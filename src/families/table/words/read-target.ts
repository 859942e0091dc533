import type { Condition } from '../request/request.ts';
import type { Table } from '../table.ts';
import { readClauses, whereOf, type Clauses } from './read-clauses.ts';
import { afterTable } from './conditions/condition-start.ts';
import { isAt, isAtEnd, type Cursor } from './cursor.ts';
import { isKeyOf, readKeys } from './read-keys.ts';
import { faultAt } from './stop.ts';
import { alls } from './vocabulary.ts';

/** The records that a request changes. */
export interface RecordTarget {
  readonly where?: Condition;
  readonly many?: true;
}

/**
 * Reads the description of the records to change, until `isEnd` returns true. Returns undefined if there is
 * none.
 */
export function readTarget(
  cursor: Cursor,
  table: Table,
  isEnd: (index: number) => boolean,
): RecordTarget | undefined {
  const start = cursor.index;
  cursor.index = afterTable(cursor, start);
  const hasAll = cursor.tokens
    .slice(start, cursor.index)
    .some((_, ahead) => isAt(cursor, start + ahead, alls));
  const keyed = hasAll ? undefined : readKeys(cursor, table, true);
  if (keyed !== undefined && (isAtEnd(cursor) || isEnd(cursor.index))) return keyed;
  cursor.index = start;
  const clauses = readClauses(cursor, isEnd);
  refuseOrder(clauses);
  const { where } = whereOf(clauses);
  if (where === undefined) return clauses.isAll ? { many: true } : clauses.isNamed ? {} : undefined;
  return isKeyOf(table, where) ? { where } : { where, many: true };
}

/**
 * Throws if a request for a change has a sort order or window, because a change affects either one record or
 * all matching records.
 */
function refuseOrder({ tail, by, columns }: Clauses): void {
  const [position] = tail.positions.values();
  if (position !== undefined)
    throw faultAt(
      position,
      'A change cannot be limited to part of a list.',
      'Add a condition, or name the records.',
    );
  if (by !== undefined || columns.length > 0) {
    const name = (by ?? columns[0])?.name ?? '';
    throw faultAt(0, `The value of "${name}" is missing.`, `For example: where ${name} is …`);
  }
}
