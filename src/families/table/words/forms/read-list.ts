import { optional } from '../../../../core/index.ts';
import { buildComparison } from '../../request/build-comparison.ts';
import { isTextType } from '../../request/comparisons-of.ts';
import { requestLimits } from '../../request/request-limits.ts';
import type { ListRequest, TableRequest } from '../../request/request.ts';
import type { Table } from '../../table.ts';
import { afterTable } from '../conditions/condition-start.ts';
import { accept, isAt, isAtEnd, skip, type Cursor } from '../cursor.ts';
import { readClauses, whereOf, type Clauses } from '../read-clauses.ts';
import { isColumnAt, readColumns } from '../read-columns.ts';
import { isKeyOf, readKeys } from '../read-keys.ts';
import type { Tail } from '../read-tail.ts';
import { faultAt, notPlain } from '../stop.ts';
import { wordsOf } from '../vocabulary.ts';

/** Reads the rest of a request after `list` or a synonym: records, one record by key, or a text search. */
export function readList(cursor: Cursor, table: Table): TableRequest {
  return readOneRecord(cursor, table) ?? readSearch(cursor, table) ?? readRecords(cursor, table);
}

/** Reads the rest of a request after `open`: one record by its key. */
export function readOpened(cursor: Cursor, table: Table): TableRequest {
  const one = readOneRecord(cursor, table);
  if (one === undefined) throw notPlain('It is not clear which record to open.');
  return one;
}

/** Reads `show <key>`, `show <table> <key>` or `<field> of <key>`. */
function readOneRecord(cursor: Cursor, table: Table): TableRequest | undefined {
  const start = cursor.index;
  skip(cursor, persons);
  const columns = isColumnAt(cursor) ? readColumns(cursor) : [];
  if (columns.length > 0 && !accept(cursor, ofs)) {
    cursor.index = start;
    return undefined;
  }
  cursor.index = afterTable(cursor, cursor.index);
  const keyed = isAtEnd(cursor) ? undefined : readKeys(cursor, table);
  if (keyed === undefined || !isAtEnd(cursor)) {
    cursor.index = start;
    return undefined;
  }
  const { where, many } = keyed;
  if (columns.length === 0 && many === undefined) return { operation: 'show', where };
  const fields = columns.map(({ name }) => name);
  return { operation: 'list', where, ...(fields.length === 0 ? {} : { fields }) };
}

const persons = wordsOf('me us for');
const ofs = wordsOf('of for from on');

/** Reads `find "…"`. Searches for the quoted text in the first text field shown in lists. */
function readSearch(cursor: Cursor, { listed }: Table): TableRequest | undefined {
  const start = afterTable(cursor, cursor.index);
  const index = isAt(cursor, start, persons) ? start + 1 : start;
  const token = cursor.tokens[index];
  if (token?.kind !== 'quoted' || index + 1 < cursor.tokens.length || token.text === '') return undefined;
  const texts = listed.filter(({ type }) => isTextType(type));
  const field = texts.find(({ key, values }) => key === undefined && values === undefined) ?? texts[0];
  if (field === undefined) throw notPlain(`This table has no text field to search for "${token.text}".`);
  cursor.index = index + 1;
  const built = buildComparison(field, 'contains', token.text, cursor.clock);
  if ('fault' in built) throw faultAt(token.start, built.fault, built.hint ?? 'Remove the characters.');
  return { operation: 'list', where: built.condition };
}

function readRecords(cursor: Cursor, table: Table): TableRequest {
  const clauses = readClauses(cursor);
  const { where } = whereOf(clauses);
  const { columns, tail, by } = clauses;
  if (by !== undefined && clauses.isEach === true) {
    if (columns.length > 0 || tail.positions.size > 0)
      throw notPlain(`It is not clear what to show for each ${by.name}.`);
    return { operation: 'group', by: by.name, measure: 'count', ...whereOf(clauses) };
  }
  sortByGrouping(clauses);
  const isBare = columns.length === 0 && tail.positions.size === 0;
  if (isBare && where !== undefined && isKeyOf(table, where)) return { operation: 'show', where };
  return {
    operation: 'list',
    ...(where === undefined ? {} : { where }),
    ...(columns.length === 0 ? {} : { fields: columns.map(({ name }) => name) }),
    ...windowOf(table, tail),
  };
}

/** Treats `by <field>` as the sort order of a list. With `top`, the greatest values come first. */
function sortByGrouping({ by, tail }: Clauses): void {
  if (by === undefined) return;
  if (tail.sort !== undefined) throw notPlain('The sort order is specified twice.');
  tail.sort = [{ field: by.name, direction: tail.isTop === true ? 'down' : 'up' }];
  tail.positions.set('order', 0);
}

const { pageLength } = requestLimits;

/** Returns a list's sort order, limit and offset. A limit that counts from the end reverses the order. */
function windowOf({ key }: Table, tail: Tail): Pick<ListRequest, 'sort' | 'limit' | 'offset'> {
  const limit = tail.limit ?? (tail.page === undefined ? undefined : pageLength);
  const offset =
    tail.offset ?? (tail.page === undefined ? undefined : (tail.page - 1) * (limit ?? pageLength));
  const order =
    tail.sort ??
    (tail.isLast === true ? key.map(({ name }) => ({ field: name, direction: 'up' as const })) : undefined);
  const sort =
    tail.isLast === true
      ? order?.map(({ field, direction }) => ({
          field,
          direction: direction === 'up' ? ('down' as const) : ('up' as const),
        }))
      : order;
  return {
    ...optional('sort', sort),
    ...optional('limit', limit),
    ...(offset === undefined || offset === 0 ? {} : { offset }),
  };
}
