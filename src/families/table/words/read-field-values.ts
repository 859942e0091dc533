import { labelOf } from '../show/label-of.ts';
import type { Json, JsonObject } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { afterArticles } from './conditions/condition-start.ts';
import { accept, fieldAt, isAt, isAtEnd, peek, offsetOf, type Cursor } from './cursor.ts';
import { acceptPhrase, buildPhrases } from './phrases.ts';
import { convertOperand, readOperand } from './conditions/read-operand.ts';
import { faultAt, verdictOf } from './stop.ts';
import { hintOf, unknownField } from './unknown-field.ts';
import { separators, wordsOf } from './vocabulary.ts';

/**
 * Reads fields with their values from the next token until `isEnd` returns true. An existing record's key
 * cannot be set.
 */
export function readFieldValues(
  cursor: Cursor,
  { isNew, isEnd }: { readonly isNew: boolean; readonly isEnd: (index: number) => boolean },
): JsonObject {
  const set: Record<string, Json> = {};
  const { isStop } = cursor;
  cursor.isStop = (index) => isEnd(index) || startsLine(cursor, index) || isStop(index);
  cursor.hasTail = false;
  do readAssignment(cursor, set, isNew);
  while (hasNext(cursor, isEnd));
  cursor.isStop = isStop;
  cursor.hasTail = true;
  return set;
}

function startsLine(cursor: Cursor, index: number): boolean {
  return cursor.tokens[index]?.isOnNewLine === true && fieldAt(cursor, index) !== undefined;
}

function readAssignment(cursor: Cursor, set: Record<string, Json>, isNew: boolean): void {
  cursor.index = afterArticles(cursor, cursor.index);
  const { index, isLoose, leaves } = cursor;
  const shorter = shorterNameAt(cursor);
  if (shorter !== undefined) {
    try {
      readValueOf(cursor, set, isNew, shorter);
      return;
    } catch (thrown) {
      verdictOf(thrown); // throws again what is not about the words
      Object.assign(cursor, { index, isLoose, leaves });
    }
  }
  readValueOf(cursor, set, isNew);
}

/**
 * Returns the length of a shorter name before a word such as `to`, if the longest name ends with that word. In
 * `refund to 5`, the field can be `refund` or `refund_to`; the value shows which.
 */
function shorterNameAt(cursor: Cursor): number | undefined {
  const { index } = cursor;
  const length = fieldAt(cursor)?.length ?? 0;
  if (length < 2 || !isAt(cursor, index + length - 1, joints)) return undefined;
  if (isAt(cursor, index + length, joints)) return undefined; // as in `refund to = paypal`
  return fieldAt(cursor, index, length - 1)?.length === length - 1 ? length - 1 : undefined;
}

const joints = wordsOf('to as is = :');

function readValueOf(cursor: Cursor, set: Record<string, Json>, isNew: boolean, most?: number): void {
  const at = offsetOf(cursor, cursor.index);
  const field = readAssignedField(cursor, most);
  checkAssignable(field, at, set, isNew);
  acceptPhrase(cursor, jointPhrases);
  set[field.name] = convertOperand(cursor, field, readOperand(cursor, field));
}

const jointPhrases = buildPhrases<true>([true, 'to|=|:|as|is|to be|set to']);

function readAssignedField(cursor: Cursor, most?: number): Field {
  const named = fieldAt(cursor, cursor.index, most);
  if (named !== undefined) {
    cursor.index += named.length;
    return named.found;
  }
  const token = peek(cursor);
  const at = offsetOf(cursor, cursor.index);
  if (token === undefined)
    throw faultAt(at, 'A field and its value are missing.', 'Write each field followed by its value.');
  const quotes = 'Quote a value that contains "and" or a comma.';
  throw unknownField(cursor, token.text, at, `${hintOf(cursor, token.text)} ${quotes}`);
}

/** Throws if a field cannot be set or if `set` already contains a value for it. */
export function checkAssignable(field: Field, at: number, set: JsonObject, isNew: boolean): void {
  const label = labelOf(field);
  if (Object.hasOwn(set, field.name))
    throw faultAt(at, `"${label}" has two values.`, 'Use only one of the values.');
  if (field.derivator !== undefined) {
    throw faultAt(
      at,
      `"${label}" is computed from other fields and cannot be set.`,
      'Change the fields that it depends on.',
    );
  }
  if (!isNew && field.key !== undefined) {
    throw faultAt(
      at,
      `"${label}" identifies the record and cannot be changed.`,
      'Add a new record and delete this one.',
    );
  }
}

/** Whether another assignment follows. If so, moves past the separator before it. */
function hasNext(cursor: Cursor, isEnd: (index: number) => boolean): boolean {
  const start = cursor.index;
  const isJoined = accept(cursor, separators);
  const hasConnector = accept(cursor, connectors);
  if (isAtEnd(cursor)) return false;
  if (!isEnd(cursor.index) && (isJoined || hasConnector || fieldAt(cursor) !== undefined)) return true;
  if (isEnd(cursor.index)) return false;
  cursor.index = start;
  const token = peek(cursor);
  throw faultAt(
    offsetOf(cursor, start),
    `It is not clear what ${quote(token?.text ?? '')} belongs to.`,
    isAt(cursor, start, bracket)
      ? 'Quote values that contain brackets.'
      : 'Put commas between fields, and quote values that have several words.',
  );
}

const connectors = wordsOf('and & plus with');
const bracket = wordsOf('( ) [ ]');
