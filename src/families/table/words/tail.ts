import { quote } from '../../../core/index.ts';
import type { Sort } from '../../../engines/conditions/conditions.ts';
import type { MeaningOf } from '../../../engines/phrases/phrases.ts';
import { isOrdered } from '../../../engines/values/types.ts';
import { requestLimits, type ListRequest } from '../request/request.ts';
import type { Field, Table } from '../table.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles, isClauseAt, isNounAt, isTailAt } from './lookahead.ts';
import { isNumber, readNumber } from './lookahead.ts';
import { unclearAt } from './verdict.ts';

/** The sort order and the window (limit and offset) that a request specifies for a list. */
export interface Tail {
  sort?: readonly Sort[];
  limit?: number;
  offset?: number;
  page?: number;
  /** Whether the window is counted from the end of the list. */
  isLast?: true;
  /** Whether the request asks for the greatest values, as in `top 5`. */
  isTop?: true;
  /** The tokens at which the sort order and window begin, keyed by clause. */
  readonly positions: Map<string, number>;
}

/** Reads one part of the sort order or window at the next token. Returns false if there is none. */
export function readTailPart(cursor: Cursor, tail: Tail): boolean {
  const at = cursor.index;
  if (cursor.accept(grammar.orderings)) {
    tail.sort = put(cursor, tail, 'order', at, () => readSorts(cursor));
    return true;
  }
  const age = cursor.accept(grammar.ages);
  if (age !== undefined) {
    sortByDate(cursor, tail, at, cursor.index, age, '');
    return true;
  }
  const kind = cursor.find(grammar.windows);
  if (kind === undefined || (cursor.field()?.length ?? 0) > kind.length) return false;
  cursor.index += kind.length;
  readWindow(cursor, tail, kind.found, at);
  return true;
}

type Window = MeaningOf<typeof grammar.windows>;

/**
 * Reads a window. Before a singular noun, words such as `first` or `newest` limit the list to one record;
 * before a plural noun, they do not.
 */
function readWindow(cursor: Cursor, tail: Tail, kind: Window, at: number): void {
  const next = cursor.index;
  const isOne = kind !== 'limit' && kind !== 'skip' && kind !== 'page' && !isNumber(cursor.peek());
  const end = isOne ? afterKind(cursor) : next;
  if (isOne && !cursor.isAtEnd() && !isNounAt(cursor, end)) {
    const message = `${quote(cursor.peek()?.text ?? '')} is not a number.`;
    throw cursor.fault(message, 'Say how many, as in "first 20".');
  }
  const count = isOne ? 1 : readCount(cursor, kind, cursor.text(at, next));
  if (kind === 'skip') tail.offset = put(cursor, tail, 'offset', at, () => count);
  else if (kind === 'page') tail.page = put(cursor, tail, 'offset', at, () => count);
  else if (!isOne || !isSeveral(cursor, end)) tail.limit = put(cursor, tail, 'window', at, () => count);
  if (kind === 'last') tail.isLast = true;
  if (kind === 'top') tail.isTop = true;
  if (kind === 'newest') sortByDate(cursor, tail, at, next, 'down', ' first');
  if (kind === 'oldest') sortByDate(cursor, tail, at, next, 'up', ' first');
}

/** Returns the index after a listed value or boolean field that is used as a condition. */
function afterKind(cursor: Cursor): number {
  const next = cursor.at(grammar.negation) ? cursor.index + 1 : cursor.index;
  const value = cursor.described(next);
  const field = value === undefined ? cursor.field(next) : undefined;
  return next + (value?.length ?? (field?.found.type === 'boolean' ? field.length : 0));
}

/** Whether a token is a plural noun for records. */
function isSeveral(cursor: Cursor, index: number): boolean {
  const length = Math.max(cursor.table(index), 1);
  return /[^s]s$/.test(cursor.tokens[index + length - 1]?.low ?? '');
}

const { maxRows, maxSkipped, pageLength } = requestLimits;

function readCount(cursor: Cursor, kind: Window, said: string): number {
  const at = cursor.index;
  const token = cursor.peek();
  const count = readNumber(cursor);
  if (count === undefined)
    throw cursor.fault(`A number is missing after "${said}".`, `Write for example: ${said} 20.`, at);
  const [least, most] =
    kind === 'skip' ? [0, maxSkipped] : kind === 'page' ? [1, maxRows * maxRows] : [1, maxRows];
  if (Number.isInteger(count) && count >= least && count <= most) return count;
  const range = `Use a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw cursor.fault(`"${said}" cannot be ${quote(token?.text ?? '')}.`, range, at);
}

function readSorts(cursor: Cursor): readonly Sort[] {
  const sorts: Sort[] = [];
  do {
    const at = cursor.index;
    cursor.index = afterArticles(cursor);
    const { name } = readOrderField(cursor);
    if (sorts.some(({ field }) => field === name))
      throw cursor.fault(`"${name}" appears twice in the sort order.`, 'Name it once.', at);
    sorts.push({ field: name, direction: cursor.accept(grammar.directions) ?? 'up' });
  } while (acceptNext(cursor));
  return sorts;
}

/** Whether another sort field follows. If so, moves past the separator before it. */
function acceptNext(cursor: Cursor): boolean {
  const read = (): boolean => {
    const hasComma = cursor.accept(grammar.comma) !== undefined;
    const hasConnector = cursor.accept(grammar.sortJoints) !== undefined;
    cursor.accept(grammar.by);
    const isOther = isTailAt(cursor, cursor.index) || isClauseAt(cursor, cursor.index);
    // Unknown fields are accepted here, because a later check reports them.
    if (hasComma && !isOther && cursor.peek()?.kind === 'word') return true;
    return hasConnector && cursor.field(afterArticles(cursor)) !== undefined;
  };
  return cursor.attempt(read) === true;
}

/** Reads a field to sort a list by at the next token. */
export function readOrderField(cursor: Cursor): Field {
  const token = cursor.peek();
  if (token === undefined)
    throw cursor.fault('The field to sort by is missing.', 'For example: sort by name.');
  const named = cursor.field();
  if (named === undefined) throw cursor.unknownField(token.text);
  const { name, type } = named.found;
  if (!isOrdered(type))
    throw cursor.fault(
      `"${name}" cannot be used for sorting: its type is ${type}.`,
      'Sort by another field.',
    );
  cursor.index += named.length;
  return named.found;
}

/**
 * Sorts by the table's date field. If there are several, throws a question whose answer replaces the words
 * from token `at` to token `next`.
 */
function sortByDate(
  cursor: Cursor,
  tail: Tail,
  at: number,
  next: number,
  direction: Sort['direction'],
  suffix: string,
): void {
  const dates = cursor.names.fields.filter(({ type }) => type === 'date' || type === 'datetime');
  const [only, ...others] = dates;
  const words = cursor.text(at, next);
  if (only === undefined)
    throw cursor.fault(
      `"${words}" needs a date, but the table has no date field.`,
      'Say what to sort by.',
      at,
    );
  if (others.length > 0) {
    const options = dates.map(({ name }) => `sorted by ${name} ${direction}${suffix}`);
    const start = cursor.offset(at);
    throw unclearAt(start, start + words.length, `Which date do you mean by "${words}"?`, options);
  }
  tail.sort = put(cursor, tail, 'order', at, () => [{ field: only.name, direction }]);
}

/** Returns a part of the sort order or window. Throws if the request specifies it twice. */
function put<Part>(cursor: Cursor, tail: Tail, part: string, at: number, read: () => Part): Part {
  if (tail.positions.has(part)) {
    const what = part === 'window' ? 'number of records' : part;
    throw cursor.fault(`The ${what} is specified twice.`, 'Use it once.', at);
  }
  tail.positions.set(part, at);
  return read();
}

/** Returns a list's sort order and window. A list that is counted from the end is in the order of the key. */
export function windowOf(
  { key }: Table,
  { sort, limit, offset, page, isLast }: Tail,
): Pick<ListRequest, 'sort' | 'limit' | 'offset' | 'last'> {
  const most = limit ?? (page === undefined ? undefined : pageLength);
  const skipped = offset ?? (page === undefined ? 0 : (page - 1) * (most ?? pageLength));
  const order = sort ?? (isLast && key.map(({ name }) => ({ field: name, direction: 'up' as const })));
  return {
    ...(order === undefined ? {} : { sort: order }),
    ...(most === undefined ? {} : { limit: most }),
    ...(skipped === 0 ? {} : { offset: skipped }),
    ...(isLast === true ? { last: true } : {}),
  };
}
