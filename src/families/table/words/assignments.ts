import { quote, type Json, type JsonObject } from '../../../core/index.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { labelOf, type Field, type Table } from '../table.ts';
import { createCursor, hintFor, longestWords, type Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles } from './lookahead.ts';
import { readFieldValue } from './operands.ts';
import { verdictOf } from './verdict.ts';

/**
 * Reads assignments such as `<field> "a b", <field> 3`. Returns undefined if the text does not begin with a
 * field and a value.
 */
export function readAssignments(
  table: Table,
  words: string,
  clock: LocalClock,
): { readonly set: JsonObject } | { readonly fault: string; readonly at: number } | undefined {
  if (words.length > longestWords) return undefined;
  try {
    const cursor = createCursor(table, words, clock);
    cursor.accept(grammar.assignLeads);
    const start = afterArticles(cursor);
    const field = cursor.field(start);
    if (field === undefined || start + field.length >= cursor.tokens.length) return undefined;
    const set = readFieldValues(cursor, { isNew: true });
    return cursor.isAtEnd() ? { set } : undefined;
  } catch (thrown) {
    const verdict = verdictOf(thrown);
    if (verdict.kind === 'unknown') return undefined;
    return { fault: verdict.kind === 'fault' ? verdict.message : verdict.text, at: verdict.at };
  }
}

interface Reading {
  /** Whether the values are for a new record. An existing record's key cannot be set. */
  readonly isNew: boolean;
  /** Whether the assignments end before a token. */
  readonly isEnd?: (index: number) => boolean;
  /** The values that the record already has. */
  readonly known?: JsonObject;
}

/** Reads fields with their values from the next token until `isEnd` returns true. */
export function readFieldValues(
  cursor: Cursor,
  { isNew, isEnd = () => false, known = {} }: Reading,
): JsonObject {
  const set: Record<string, Json> = { ...known };
  const startsLine = (index: number): boolean =>
    cursor.tokens[index]?.isOnNewLine === true && cursor.field(index) !== undefined;
  cursor.hasTail = false;
  cursor.until(
    (index) => isEnd(index) || startsLine(index),
    () => {
      do readAssignment(cursor, set, isNew);
      while (hasNext(cursor, isEnd));
    },
  );
  cursor.hasTail = true;
  return set;
}

function readAssignment(cursor: Cursor, set: Record<string, Json>, isNew: boolean): void {
  cursor.index = afterArticles(cursor);
  const { index, isLoose, leaves } = cursor;
  const read = (most?: number): void => {
    const field = readAssignedField(cursor, set, isNew, most);
    cursor.accept(grammar.assignJoints);
    set[field.name] = readFieldValue(cursor, field);
  };
  const shorter = shorterName(cursor);
  if (shorter === undefined) {
    read();
    return;
  }
  try {
    read(shorter);
  } catch (thrown) {
    verdictOf(thrown); // Rethrows errors that are not about the words.
    Object.assign(cursor, { index, isLoose, leaves });
    read();
  }
}

/**
 * Returns the length of a shorter name before a word such as `to`, if the longest name ends with that word. In
 * `refund to 5`, the field can be `refund` or `refund_to`; the value shows which.
 */
function shorterName(cursor: Cursor): number | undefined {
  const { index } = cursor;
  const length = cursor.field()?.length ?? 0;
  if (length < 2 || !cursor.at(grammar.shortJoints, index + length - 1)) return undefined;
  if (cursor.at(grammar.shortJoints, index + length)) return undefined; // As in `refund to = paypal`.
  return cursor.field(index, length - 1)?.length === length - 1 ? length - 1 : undefined;
}

/** Reads the name of a field that can be set. */
export function readAssignedField(cursor: Cursor, set: JsonObject, isNew: boolean, most?: number): Field {
  const named = cursor.field(cursor.index, most);
  if (named === undefined) {
    const token = cursor.peek();
    if (token === undefined)
      throw cursor.fault('A field and its value are missing.', 'Write each field followed by its value.');
    const quotes = 'Quote a value that contains "and" or a comma.';
    throw cursor.unknownField(token.text, `${hintFor(cursor.names, token.text)} ${quotes}`);
  }
  checkAssignable(cursor, named.found, set, isNew);
  cursor.index += named.length;
  return named.found;
}

/** Throws if a field cannot be set or if `set` already contains a value for it. */
export function checkAssignable(cursor: Cursor, field: Field, set: JsonObject, isNew: boolean): void {
  const label = labelOf(field);
  if (Object.hasOwn(set, field.name))
    throw cursor.fault(`"${label}" has two values.`, 'Use only one of the values.');
  if (field.derivator !== undefined) {
    const message = `"${label}" is computed from other fields and cannot be set.`;
    throw cursor.fault(message, 'Change the fields that it depends on.');
  }
  if (!isNew && field.key !== undefined) {
    const message = `"${label}" identifies the record and cannot be changed.`;
    throw cursor.fault(message, 'Add a new record and delete this one.');
  }
}

/** Whether another assignment follows. If so, moves past the separator before it. */
function hasNext(cursor: Cursor, isEnd: (index: number) => boolean): boolean {
  const start = cursor.index;
  const isSeparated = cursor.accept(grammar.separators);
  const isJoined = (cursor.accept(grammar.connectors) ?? isSeparated) !== undefined;
  if (cursor.isAtEnd() || isEnd(cursor.index)) return false;
  if (isJoined || cursor.field() !== undefined) return true;
  throw cursor.fault(
    `It is not clear what ${quote(cursor.tokens[start]?.text ?? '')} belongs to.`,
    cursor.at(grammar.brackets, start)
      ? 'Quote values that contain brackets.'
      : 'Put commas between fields, and quote values that have several words.',
    start,
  );
}
