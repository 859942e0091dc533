import { mayMeasure } from '../../request/comparisons-of.ts';
import type { Measure, TableRequest } from '../../request/request.ts';
import type { Field } from '../../table.ts';
import { afterArticles } from '../conditions/condition-start.ts';
import { accept, fieldAt, peek, offsetOf, skip, tableLength, valuesAt, type Cursor } from '../cursor.ts';
import { acceptPhrase } from '../phrases.ts';
import { readClauses, whereOf, type Clauses } from '../read-clauses.ts';
import { directions } from '../read-tail.ts';
import { faultAt, notPlain } from '../stop.ts';
import { unknownField } from '../unknown-field.ts';
import { closing, opening, wordsOf } from '../vocabulary.ts';

/** Reads the rest of a request after `count`, `how many` or `group`. */
export function readCounted(cursor: Cursor, mustGroup: boolean): TableRequest {
  const { clauses, direction } = readMeasuredRecords(cursor);
  if (clauses.by !== undefined) return grouped(clauses, 'count', undefined, direction);
  if (mustGroup)
    throw faultAt(
      offsetOf(cursor, cursor.index),
      'The field to group by is missing.',
      'Add "by" and a field name.',
    );
  refuseTail(clauses);
  return { operation: 'count', ...whereOf(clauses) };
}

/** Reads the rest of a request after `sum`, `average` or a synonym. */
export function readMeasured(cursor: Cursor, measure: Exclude<Measure, 'count'>): TableRequest {
  skip(cursor, fillers);
  const field = readMeasuredField(cursor, measure);
  const { clauses, direction } = readMeasuredRecords(cursor);
  if (clauses.by !== undefined) return grouped(clauses, measure, field, direction);
  refuseTail(clauses);
  return { operation: measure, field: field.name, ...whereOf(clauses) };
}

const fillers = wordsOf('of the all up for');

function readMeasuredField(cursor: Cursor, measure: Exclude<Measure, 'count'>): Field {
  const isBracketed = accept(cursor, opening);
  cursor.index = afterArticles(cursor, cursor.index);
  const [token, at] = [peek(cursor), offsetOf(cursor, cursor.index)];
  const named = fieldAt(cursor);
  if (token === undefined)
    throw faultAt(at, `The field for the ${measure} is missing.`, 'Choose a field that contains numbers.');
  if (named === undefined && (tableLength(cursor) > 0 || valuesAt(cursor) !== undefined))
    throw notPlain(`It is not clear which field to use for the ${measure}.`);
  if (named === undefined) throw unknownField(cursor, token.text, at);
  cursor.index += named.length;
  if (isBracketed && !accept(cursor, closing))
    throw faultAt(offsetOf(cursor, cursor.index), 'The bracket is not closed.', 'Close it.');
  const { name, type } = named.found;
  if (!mayMeasure(measure, type))
    throw faultAt(
      at,
      `The ${measure} of "${name}" cannot be computed because its type is ${type}.`,
      'Choose a field that contains numbers.',
    );
  return named.found;
}

interface Measured {
  readonly clauses: Clauses;
  readonly direction?: 'up' | 'down';
}

/** Reads the records to measure and the order of the groups. */
function readMeasuredRecords(cursor: Cursor): Measured {
  const isEnd = (index: number): boolean => {
    const here = cursor.index;
    cursor.index = index;
    const isDirection =
      acceptPhrase(cursor, directions) !== undefined && cursor.index === cursor.tokens.length;
    cursor.index = here;
    return isDirection;
  };
  const clauses = readClauses(cursor, isEnd);
  const direction = acceptPhrase(cursor, directions);
  if (clauses.columns.length > 0)
    throw notPlain(`It is not clear what "${clauses.columns[0]?.name ?? ''}" is for.`);
  if (direction !== undefined && clauses.by === undefined) throw notPlain('There is nothing to sort.');
  return direction === undefined ? { clauses } : { clauses, direction };
}

function grouped(
  clauses: Clauses,
  measure: Measure,
  field: Field | undefined,
  direction: 'up' | 'down' | undefined,
): TableRequest {
  const { by, tail } = clauses;
  const position = tail.positions.get('order') ?? tail.positions.get('offset');
  if (position !== undefined || tail.isLast === true) {
    throw faultAt(
      position ?? 0,
      'Groups are always sorted by their computed values.',
      'Use "ascending" or "descending" to sort the groups, and "first" to limit how many are shown.',
    );
  }
  return {
    operation: 'group',
    by: by?.name ?? '',
    measure,
    ...(field === undefined ? {} : { field: field.name }),
    ...whereOf(clauses),
    ...(direction === undefined ? {} : { direction }),
    ...(tail.limit === undefined ? {} : { limit: tail.limit }),
  };
}

function refuseTail({ tail }: Clauses): void {
  const [position] = tail.positions.values();
  if (position !== undefined)
    throw faultAt(
      position,
      'A single number cannot be sorted or limited.',
      'Remove the sort order or limit, or group by a field.',
    );
}
