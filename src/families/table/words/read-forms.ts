import { isTextType } from '../../../engines/values/types.ts';
import { buildComparison } from '../request/build-comparison.ts';
import { mayMeasure, type Measure, type TableRequest } from '../request/request.ts';
import type { Field, Table } from '../table.ts';
import { fieldsOf, isColumnAt, readClauses, readColumns, whereOf, type Clauses } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles, afterTable, isListedAt } from './lookahead.ts';
import { windowOf } from './tail.ts';
import { isKeyOf, readKeys } from './targets.ts';
import { notPlain } from './verdict.ts';

/** Reads the rest of a request after `list` or a synonym: records, one record by key, or a text search. */
export function readList(cursor: Cursor, table: Table): TableRequest {
  return (
    cursor.attempt(() => readOneRecord(cursor, table)) ??
    cursor.attempt(() => readSearch(cursor, table)) ??
    readRecords(cursor, table)
  );
}

/** Reads the rest of a request after `open`: one record by its key. */
export function readOpened(cursor: Cursor, table: Table): TableRequest {
  const one = cursor.attempt(() => readOneRecord(cursor, table));
  if (one === undefined) throw notPlain('It is not clear which record to open.');
  return one;
}

/** Reads `show <key>`, `show <table> <key>` or `<field> of <key>`. */
function readOneRecord(cursor: Cursor, table: Table): TableRequest | undefined {
  cursor.skip(grammar.persons);
  const columns = isColumnAt(cursor) ? readColumns(cursor) : [];
  if (columns.length > 0 && !cursor.accept(grammar.ofs)) return undefined;
  cursor.index = afterTable(cursor);
  const keyed = cursor.isAtEnd() ? undefined : readKeys(cursor, table);
  if (keyed?.where === undefined || !cursor.isAtEnd()) return undefined;
  const { where, many } = keyed;
  if (columns.length === 0 && many === undefined) return { operation: 'show', where };
  return { operation: 'list', where, ...fieldsOf(columns) };
}

/** Reads `find "…"`. Searches for the quoted text in the first text field shown in lists. */
function readSearch(cursor: Cursor, { listed }: Table): TableRequest | undefined {
  cursor.index = afterTable(cursor);
  cursor.accept(grammar.persons);
  const token = cursor.peek();
  if (token?.kind !== 'quoted' || cursor.peek(1) !== undefined || token.text === '') return undefined;
  const field = searchedField(listed);
  if (field === undefined) throw notPlain(`This table has no text field to search for "${token.text}".`);
  const built = buildComparison(field, 'contains', token.text, cursor.clock);
  if ('fault' in built) throw cursor.fault(built.fault, built.hint ?? 'Remove the characters.');
  cursor.index++;
  return { operation: 'list', where: built.condition };
}

/** Returns the field to search for text: the first free text field. */
function searchedField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(({ type }) => isTextType(type));
  return texts.find(({ key, values }) => key === undefined && values === undefined) ?? texts[0];
}

function readRecords(cursor: Cursor, table: Table): TableRequest {
  const clauses = readClauses(cursor);
  const { columns, tail, by } = clauses;
  const { where } = whereOf(clauses);
  if (by !== undefined && clauses.isEach === true) {
    if (columns.length > 0 || tail.positions.size > 0)
      throw notPlain(`It is not clear what to show for each ${by.name}.`);
    return { operation: 'group', by: by.name, measure: 'count', ...whereOf(clauses) };
  }
  if (by !== undefined) {
    if (tail.sort !== undefined) throw notPlain('The sort order is specified twice.');
    tail.sort = [{ field: by.name, direction: tail.isTop === true ? 'down' : 'up' }];
    tail.positions.set('order', 0);
  }
  const isBare = columns.length === 0 && tail.positions.size === 0;
  if (isBare && where !== undefined && isKeyOf(table, where)) return { operation: 'show', where };
  return { operation: 'list', ...whereOf(clauses), ...fieldsOf(columns), ...windowOf(table, tail) };
}

/** Reads the rest of a request after `count`, `how many` or `group`, or after `sum of` or a synonym. */
export function readMeasure(cursor: Cursor, measure: Measure | 'group'): TableRequest {
  const isCount = measure === 'count' || measure === 'group';
  const field = isCount ? undefined : readMeasuredField(cursor, measure);
  const named = field === undefined ? {} : { field: field.name };
  const { clauses, direction } = readMeasuredRecords(cursor);
  if (clauses.by !== undefined)
    return grouped(cursor, clauses, { measure: isCount ? 'count' : measure, ...named, direction });
  if (measure === 'group')
    throw cursor.fault('The field to group by is missing.', 'Add "by" and a field name.');
  const [position] = clauses.tail.positions.values();
  if (position !== undefined) {
    const hint = 'Remove the sort order or limit, or group by a field.';
    throw cursor.fault('A single number cannot be sorted or limited.', hint, position);
  }
  return { operation: measure, ...named, ...whereOf(clauses) } as TableRequest;
}

function readMeasuredField(cursor: Cursor, measure: Exclude<Measure, 'count'>): Field {
  cursor.skip(grammar.measureFillers);
  const isBracketed = cursor.accept(grammar.opening);
  cursor.index = afterArticles(cursor);
  const [token, at] = [cursor.peek(), cursor.index];
  if (token === undefined)
    throw cursor.fault(`The field for the ${measure} is missing.`, 'Choose a field that contains numbers.');
  const named = isListedAt(cursor) ? undefined : cursor.field();
  if (named === undefined && (cursor.table() > 0 || cursor.values() !== undefined))
    throw notPlain(`It is not clear which field to use for the ${measure}.`);
  if (named === undefined) throw cursor.unknownField(token.text);
  cursor.index += named.length;
  if (isBracketed && !cursor.accept(grammar.closing))
    throw cursor.fault('The bracket is not closed.', 'Close it.');
  const { name, type } = named.found;
  if (mayMeasure(measure, type)) return named.found;
  const message = `The ${measure} of "${name}" cannot be computed because its type is ${type}.`;
  throw cursor.fault(message, 'Choose a field that contains numbers.', at);
}

type Direction = 'up' | 'down' | undefined;

/** Reads the records to measure and the order of the groups. */
function readMeasuredRecords(cursor: Cursor): { readonly clauses: Clauses; readonly direction: Direction } {
  const clauses = readClauses(cursor, (index) => {
    const found = cursor.find(grammar.directions, index);
    return found !== undefined && index + found.length === cursor.tokens.length;
  });
  const direction = cursor.accept(grammar.directions);
  const [column] = clauses.columns;
  if (column !== undefined) throw notPlain(`It is not clear what "${column.name}" is for.`);
  if (direction !== undefined && clauses.by === undefined) throw notPlain('There is nothing to sort.');
  return { clauses, direction };
}

function grouped(
  cursor: Cursor,
  clauses: Clauses,
  {
    measure,
    field,
    direction,
  }: { readonly measure: Measure; readonly field?: string; readonly direction: Direction },
): TableRequest {
  const { by, tail } = clauses;
  const position = tail.positions.get('order') ?? tail.positions.get('offset');
  if (position !== undefined || tail.isLast === true) {
    const hint =
      'Use "ascending" or "descending" to sort the groups, and "first" to limit how many are shown.';
    throw cursor.fault('Groups are always sorted by their computed values.', hint, position ?? 0);
  }
  return {
    operation: 'group',
    by: by?.name ?? '',
    measure,
    ...(field === undefined ? {} : { field }),
    ...whereOf(clauses),
    ...(direction === undefined ? {} : { direction }),
    ...(tail.limit === undefined ? {} : { limit: tail.limit }),
  };
}

/** Reads a question such as `what is the total price` or `which machines are broken`. */
export function readQuestion(cursor: Cursor, table: Table): TableRequest {
  const measure = cursor.accept(grammar.askedMeasures);
  return measure === undefined ? readList(cursor, table) : readMeasure(cursor, measure);
}

/** Reads a request that consists of a few fixed words and an optional table name. */
export function readPlain(cursor: Cursor): TableRequest | undefined {
  return cursor.attempt(() => {
    const operation = cursor.accept(grammar.plainRequests);
    if (operation === 'fields' && !cursor.isAtEnd()) {
      cursor.accept(grammar.beforeDescribed);
      cursor.index = afterTable(cursor);
    }
    return operation === undefined || !cursor.isAtEnd() ? undefined : { operation };
  });
}
