import type { Condition } from '../request/request.ts';
import type { Table } from '../table.ts';
import { readClauses, whereOf, type Clauses } from './read-clauses.ts';
import { afterTable } from './conditions/condition-start.ts';
import { isAt, isAtEnd, type Cursor } from './cursor.ts';
import { isKeyOf, readKeys } from './read-keys.ts';
import { faultAt } from './stop.ts';
import { alls } from './vocabulary.ts';

/** Which records a change is about. */
export interface RecordTarget {
  readonly where?: Condition;
  readonly many?: true;
}

/** The records that a change is about, from the next token on until a form stops; undefined when none are named. */
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

/** A change has no order and no window: it is about all records that fit, or about one. */
function refuseOrder({ tail, by, columns }: Clauses): void {
  const [place] = tail.places.values();
  if (place !== undefined)
    throw faultAt(
      place,
      'A change cannot be limited to a part of a list.',
      'Say a condition, or name the records.',
    );
  if (by !== undefined || columns.length > 0) {
    const name = (by ?? columns[0])?.name ?? '';
    throw faultAt(0, `It is not said what "${name}" is.`, `Write for example: where ${name} is …`);
  }
}
