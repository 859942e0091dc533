import { isOrdered } from '../request/comparisons-of.ts';
import { requestLimits } from '../request/request-limits.ts';
import type { Sort } from '../request/request.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { afterArticles, isClauseAt } from './conditions/condition-start.ts';
import { accept, fieldAt, isAt, peek, placeOf, tableLength, valuesAt, type Cursor } from './cursor.ts';
import { acceptPhrase, buildPhrases, phraseAt } from './phrases.ts';
import { isNumber, readNumber } from './read-number.ts';
import { faultAt, unclearAt } from './stop.ts';
import { ages, isTailAt, orderings } from './tail-start.ts';
import { unknownField } from './unknown-field.ts';
import { comma, nots, nouns, wordsOf } from './vocabulary.ts';

/** The order and the window of a list, as far as they were said. */
export interface Tail {
  sort?: Sort[];
  limit?: number;
  offset?: number;
  page?: number;
  /** The window is counted from the end. */
  isLast?: true;
  /** The window is of the greatest. */
  isTop?: true;
  /** Where each part stands. */
  readonly places: Map<string, number>;
}

/** Reads one part of the order or window at the next token; false when there is none. */
export function readTailPart(cursor: Cursor, tail: Tail): boolean {
  const start = cursor.index;
  const at = placeOf(cursor, start);
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

/** `first` and its kin also stand for one record before what a record is called, and only for the order before its plural. */
function readWindow(cursor: Cursor, tail: Tail, kind: Window, at: number): void {
  const next = cursor.index;
  const isOne = kind !== 'limit' && kind !== 'skip' && kind !== 'page' && !isNumber(peek(cursor));
  const end = isOne ? afterKind(cursor) : next;
  if (isOne && peek(cursor) !== undefined && tableLength(cursor, end) === 0 && !isAt(cursor, end, nouns)) {
    throw faultAt(
      placeOf(cursor, next),
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

/** The token behind listed values, and fields that are yes or no, which say what kind of records is meant. */
function afterKind(cursor: Cursor): number {
  let next = isAt(cursor, cursor.index, nots) ? cursor.index + 1 : cursor.index;
  const value = valuesAt(cursor, next);
  const field = value === undefined ? fieldAt(cursor, next) : undefined;
  next += value?.length ?? (field?.found.type === 'boolean' ? field.length : 0);
  return next;
}

/** Whether records are called by their plural at a token. */
function isSeveral(cursor: Cursor, index: number): boolean {
  const length = Math.max(tableLength(cursor, index), 1);
  return /[^s]s$/.test(cursor.tokens[index + length - 1]?.low ?? '');
}

const { mostRows, mostSkipped } = requestLimits;

function readCount(cursor: Cursor, kind: Window, said: string): number {
  const at = placeOf(cursor, cursor.index);
  const token = peek(cursor);
  const count = readNumber(cursor);
  if (count === undefined)
    throw faultAt(at, `A number is missing after "${said}".`, `Write for example: ${said} 20.`);
  const [least, most] =
    kind === 'skip' ? [0, mostSkipped] : kind === 'page' ? [1, mostRows * mostRows] : [1, mostRows];
  if (Number.isInteger(count) && count >= least && count <= most) return count;
  const range = `It must be a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw faultAt(at, `"${said}" cannot be ${quote(token?.text ?? '')}.`, range);
}

function readSorts(cursor: Cursor): Sort[] {
  const sorts: Sort[] = [];
  do {
    const at = placeOf(cursor, cursor.index);
    cursor.index = afterArticles(cursor, cursor.index);
    const { name } = readOrderField(cursor);
    if (sorts.some(({ field }) => field === name))
      throw faultAt(at, `"${name}" is named twice in the order.`, 'Name it once.');
    sorts.push({ field: name, direction: acceptPhrase(cursor, directions) ?? 'up' });
  } while (acceptNext(cursor));
  return sorts;
}

/** The way that an order goes. */
export const directions = buildPhrases<'up' | 'down'>(
  ['up', 'asc|ascending|up|upwards|in ascending order|from low to high|a to z'],
  ['down', 'desc|descending|down|downwards|in descending order|from high to low|z to a|in reverse'],
);

/** Steps over what joins one field of an order with the next. */
function acceptNext(cursor: Cursor): boolean {
  const start = cursor.index;
  const isJoined = accept(cursor, comma);
  const isWord = accept(cursor, joints);
  accept(cursor, bys);
  const isField = fieldAt(cursor, afterArticles(cursor, cursor.index)) !== undefined;
  const isOther = isTailAt(cursor, cursor.index) || isClauseAt(cursor, cursor.index);
  if (isJoined && !isOther && peek(cursor)?.kind === 'word') return true; // a word that is no field is told
  if (isWord && isField) return true;
  cursor.index = start;
  return false;
}

const joints = wordsOf('and then');
const bys = wordsOf('by');

/** A field that a list can be ordered by, at the next token. */
export function readOrderField(cursor: Cursor): Field {
  const token = peek(cursor);
  const at = placeOf(cursor, cursor.index);
  if (token === undefined)
    throw faultAt(at, 'The field to order by is missing.', 'Write for example: sort by name.');
  const named = fieldAt(cursor);
  if (named === undefined) throw unknownField(cursor, token.text, at);
  if (!isOrdered(named.found.type)) {
    throw faultAt(
      at,
      `"${named.found.name}" has no order: it is of the type ${named.found.type}.`,
      'Order by another field.',
    );
  }
  cursor.index += named.length;
  return named.found;
}

/** The only field with dates; several are a question, answered by words for what was read from `at` to before a token. */
function onlyDate(cursor: Cursor, at: number, next: number, say: (field: string) => string): Field {
  const dates = cursor.names.fields.filter(({ type }) => type === 'date' || type === 'datetime');
  const [only, ...others] = dates;
  const end = cursor.tokens[next - 1]?.end ?? at;
  const words = cursor.words.slice(at, end);
  if (only === undefined)
    throw faultAt(at, `"${words}" needs a date, and no field is one.`, 'Say what to sort by.');
  if (others.length === 0) return only;
  const options = dates.map(({ name }) => say(name));
  throw unclearAt(at, end, `By which date is "${words}" meant?`, options);
}

/** A part that is said twice contradicts itself. */
function put(tail: Tail, part: string, at: number, set: () => void): true {
  if (tail.places.has(part)) {
    throw faultAt(at, `The ${part === 'window' ? 'number of records' : part} is said twice.`, 'Say it once.');
  }
  tail.places.set(part, at);
  set();
  return true;
}
