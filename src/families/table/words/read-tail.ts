import { isOrdered } from '../request/comparisons-of.ts';
import { requestLimits } from '../request/request-limits.ts';
import type { Sort } from '../request/request.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { afterArticles, isClauseAt } from './conditions/condition-start.ts';
import { accept, fieldAt, isAt, peek, offsetOf, tableLength, valuesAt, type Cursor } from './cursor.ts';
import { acceptPhrase, buildPhrases, phraseAt } from './phrases.ts';
import { isNumber, readNumber } from './read-number.ts';
import { faultAt, unclearAt } from './stop.ts';
import { ages, isTailAt, orderings } from './tail-start.ts';
import { unknownField } from './unknown-field.ts';
import { comma, nots, nouns, wordsOf } from './vocabulary.ts';

/** The sort order and the window (limit and offset) that a request specifies for a list. */
export interface Tail {
  sort?: Sort[];
  limit?: number;
  offset?: number;
  page?: number;
  /** Whether the window is counted from the end of the list. */
  isLast?: true;
  /** Whether the request asks for the greatest values, as in `top 5`. */
  isTop?: true;
  /** The text positions of the sort order and window clauses, keyed by clause. */
  readonly positions: Map<string, number>;
}

/** Reads one part of the sort order or window at the next token. Returns false if there is none. */
export function readTailPart(cursor: Cursor, tail: Tail): boolean {
  const start = cursor.index;
  const at = offsetOf(cursor, start);
  if (acceptPhrase(cursor, orderings) !== undefined)
    return put(tail, 'order', at, () => (tail.sort = readSorts(cursor)));
  const age = acceptPhrase(cursor, ages);
  if (age !== undefined) {
    const { name } = onlyDate(cursor, at, cursor.index, (field) => `sorted by ${field} ${age}`);
    return put(tail, 'order', at, () => (tail.sort = [{ field: name, direction: age }]));
  }
  const kind = phraseAt(cursor, windows);
  if (kind === undefined || (fieldAt(cursor)?.length ?? 0) > kind.length) return false;
  cursor.index += kind.length;
  readWindow(cursor, tail, kind.found, at);
  return true;
}

type Window = 'first' | 'top' | 'last' | 'limit' | 'skip' | 'page' | 'newest' | 'oldest';

const windows = buildPhrases<Window>(
  ['first', 'first|only the first'],
  ['top', 'top'],
  ['last', 'last'],
  ['limit', 'limit|limit to|limited to'],
  ['skip', 'skip|offset|skipping'],
  ['page', 'page'],
  ['newest', 'newest|latest|most recent'],
  ['oldest', 'oldest'],
);

/**
 * Reads a window. Before a singular noun, words such as `first` or `newest` limit the list to one record;
 * before a plural noun, they do not.
 */
function readWindow(cursor: Cursor, tail: Tail, kind: Window, at: number): void {
  const next = cursor.index;
  const isOne = kind !== 'limit' && kind !== 'skip' && kind !== 'page' && !isNumber(peek(cursor));
  const end = isOne ? afterKind(cursor) : next;
  if (isOne && peek(cursor) !== undefined && tableLength(cursor, end) === 0 && !isAt(cursor, end, nouns)) {
    throw faultAt(
      offsetOf(cursor, next),
      `${quote(peek(cursor)?.text ?? '')} is not a number.`,
      'Say how many, as in "first 20".',
    );
  }
  const count = isOne ? 1 : readCount(cursor, kind, cursor.words.slice(at, cursor.tokens[next - 1]?.end));
  if (kind === 'skip') put(tail, 'offset', at, () => (tail.offset = count));
  else if (kind === 'page') put(tail, 'offset', at, () => (tail.page = count));
  else if (!isOne || !isSeveral(cursor, end)) put(tail, 'window', at, () => (tail.limit = count));
  if (kind === 'last') tail.isLast = true;
  if (kind === 'top') tail.isTop = true;
  if (kind !== 'newest' && kind !== 'oldest') return;
  const direction = kind === 'newest' ? 'down' : 'up';
  const { name } = onlyDate(cursor, at, next, (field) => `sorted by ${field} ${direction} first`);
  put(tail, 'order', at, () => (tail.sort = [{ field: name, direction }]));
}

/** Returns the index after a listed value or boolean field that is used as a condition. */
function afterKind(cursor: Cursor): number {
  let next = isAt(cursor, cursor.index, nots) ? cursor.index + 1 : cursor.index;
  const value = valuesAt(cursor, next);
  const field = value === undefined ? fieldAt(cursor, next) : undefined;
  next += value?.length ?? (field?.found.type === 'boolean' ? field.length : 0);
  return next;
}

/** Whether a token is a plural noun for records. */
function isSeveral(cursor: Cursor, index: number): boolean {
  const length = Math.max(tableLength(cursor, index), 1);
  return /[^s]s$/.test(cursor.tokens[index + length - 1]?.low ?? '');
}

const { maxRows, maxSkipped } = requestLimits;

function readCount(cursor: Cursor, kind: Window, said: string): number {
  const at = offsetOf(cursor, cursor.index);
  const token = peek(cursor);
  const count = readNumber(cursor);
  if (count === undefined)
    throw faultAt(at, `A number is missing after "${said}".`, `Write for example: ${said} 20.`);
  const [least, most] =
    kind === 'skip' ? [0, maxSkipped] : kind === 'page' ? [1, maxRows * maxRows] : [1, maxRows];
  if (Number.isInteger(count) && count >= least && count <= most) return count;
  const range = `Use a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw faultAt(at, `"${said}" cannot be ${quote(token?.text ?? '')}.`, range);
}

function readSorts(cursor: Cursor): Sort[] {
  const sorts: Sort[] = [];
  do {
    const at = offsetOf(cursor, cursor.index);
    cursor.index = afterArticles(cursor, cursor.index);
    const { name } = readOrderField(cursor);
    if (sorts.some(({ field }) => field === name))
      throw faultAt(at, `"${name}" appears twice in the sort order.`, 'Name it once.');
    sorts.push({ field: name, direction: acceptPhrase(cursor, directions) ?? 'up' });
  } while (acceptNext(cursor));
  return sorts;
}

/** The directions of a sort order. */
export const directions = buildPhrases<'up' | 'down'>(
  ['up', 'asc|ascending|up|upwards|in ascending order|from low to high|a to z'],
  ['down', 'desc|descending|down|downwards|in descending order|from high to low|z to a|in reverse'],
);

/** Whether another sort field follows. If so, moves past the separator before it. */
function acceptNext(cursor: Cursor): boolean {
  const start = cursor.index;
  const isJoined = accept(cursor, comma);
  const hasConnector = accept(cursor, joints);
  accept(cursor, bys);
  const isField = fieldAt(cursor, afterArticles(cursor, cursor.index)) !== undefined;
  const isOther = isTailAt(cursor, cursor.index) || isClauseAt(cursor, cursor.index);
  // Unknown fields are accepted here, because a later check reports them.
  if (isJoined && !isOther && peek(cursor)?.kind === 'word') return true;
  if (hasConnector && isField) return true;
  cursor.index = start;
  return false;
}

const joints = wordsOf('and then');
const bys = wordsOf('by');

/** Reads a field to sort a list by at the next token. */
export function readOrderField(cursor: Cursor): Field {
  const token = peek(cursor);
  const at = offsetOf(cursor, cursor.index);
  if (token === undefined)
    throw faultAt(at, 'The field to sort by is missing.', 'For example: sort by name.');
  const named = fieldAt(cursor);
  if (named === undefined) throw unknownField(cursor, token.text, at);
  if (!isOrdered(named.found.type)) {
    throw faultAt(
      at,
      `"${named.found.name}" cannot be used for sorting: its type is ${named.found.type}.`,
      'Sort by another field.',
    );
  }
  cursor.index += named.length;
  return named.found;
}

/**
 * Returns the table's date field. If there are several, throws a question whose answer replaces the words
 * from `at` to token `next`.
 */
function onlyDate(cursor: Cursor, at: number, next: number, say: (field: string) => string): Field {
  const dates = cursor.names.fields.filter(({ type }) => type === 'date' || type === 'datetime');
  const [only, ...others] = dates;
  const end = cursor.tokens[next - 1]?.end ?? at;
  const words = cursor.words.slice(at, end);
  if (only === undefined)
    throw faultAt(at, `"${words}" needs a date, but the table has no date field.`, 'Say what to sort by.');
  if (others.length === 0) return only;
  const options = dates.map(({ name }) => say(name));
  throw unclearAt(at, end, `Which date do you mean by "${words}"?`, options);
}

/** Sets a part of the sort order or window. Throws if the request specifies it twice. */
function put(tail: Tail, part: string, at: number, set: () => void): true {
  if (tail.positions.has(part)) {
    throw faultAt(
      at,
      `The ${part === 'window' ? 'number of records' : part} is specified twice.`,
      'Use it once.',
    );
  }
  tail.positions.set(part, at);
  set();
  return true;
}
