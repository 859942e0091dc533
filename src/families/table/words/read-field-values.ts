import { labelOf } from '../show/label-of.ts';
import type { Json, JsonObject } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { afterArticles } from './conditions/condition-start.ts';
import { accept, fieldAt, isAt, isAtEnd, peek, placeOf, type Cursor } from './cursor.ts';
import { acceptPhrase, buildPhrases } from './phrases.ts';
import { convertOperand, readOperand } from './conditions/read-operand.ts';
import { faultAt } from './stop.ts';
import { hintOf, unknownField } from './unknown-field.ts';
import { separators, wordsOf } from './vocabulary.ts';

/** Fields with their values from the next token on, until a form stops. The key of a record that there is cannot be set. */
export function readFieldValues(
  cursor: Cursor,
  { isNew, isEnd }: { readonly isNew: boolean; readonly isEnd: (index: number) => boolean },
): JsonObject {
  const set: Record<string, Json> = {};
  const { isStop } = cursor;
  cursor.isStop = (index) => isEnd(index) || startsLine(cursor, index) || isStop(index);
  cursor.hasTail = false;
  do readAssignment(cursor, set, isNew);
  while (goesOn(cursor, isEnd));
  cursor.isStop = isStop;
  cursor.hasTail = true;
  return set;
}

function startsLine(cursor: Cursor, index: number): boolean {
  return cursor.tokens[index]?.isOnNewLine === true && fieldAt(cursor, index) !== undefined;
}

function readAssignment(cursor: Cursor, set: Record<string, Json>, isNew: boolean): void {
  cursor.index = afterArticles(cursor, cursor.index);
  const at = placeOf(cursor, cursor.index);
  const field = readAssignedField(cursor);
  checkAssignable(field, at, set, isNew);
  acceptPhrase(cursor, joints);
  set[field.name] = convertOperand(cursor, field, readOperand(cursor, field));
}

const joints = buildPhrases<true>([true, 'to|=|:|as|is|to be|set to']);

function readAssignedField(cursor: Cursor): Field {
  const named = fieldAt(cursor);
  if (named !== undefined) {
    cursor.index += named.length;
    return named.found;
  }
  const token = peek(cursor);
  const at = placeOf(cursor, cursor.index);
  if (token === undefined)
    throw faultAt(at, 'A field and its value are missing.', 'Write each field with its value behind it.');
  const quotes = 'A value that holds "and" or a comma needs quotes.';
  throw unknownField(cursor, token.text, at, `${hintOf(cursor, token.text)} ${quotes}`);
}

/** Throws when a field cannot be given a value, or was given one before. */
export function checkAssignable(field: Field, at: number, set: JsonObject, isNew: boolean): void {
  const label = labelOf(field);
  if (Object.hasOwn(set, field.name))
    throw faultAt(at, `"${label}" is given two values.`, 'Say one of them.');
  if (field.derivator !== undefined) {
    throw faultAt(
      at,
      `"${label}" is worked out from other fields and cannot be set.`,
      'Change the fields that it follows from.',
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

/** Steps over what joins one assignment with the next. */
function goesOn(cursor: Cursor, isEnd: (index: number) => boolean): boolean {
  const start = cursor.index;
  const isJoined = accept(cursor, separators);
  const isWord = accept(cursor, words);
  if (isAtEnd(cursor)) return false;
  if (!isEnd(cursor.index) && (isJoined || isWord || fieldAt(cursor) !== undefined)) return true;
  if (isEnd(cursor.index)) return false;
  cursor.index = start;
  const token = peek(cursor);
  throw faultAt(
    placeOf(cursor, start),
    `It is not clear what ${quote(token?.text ?? '')} belongs to.`,
    isAt(cursor, start, bracket)
      ? 'Put values that hold brackets into quotes.'
      : 'Put a comma between fields, and values of several words into quotes.',
  );
}

const words = wordsOf('and & plus with');
const bracket = wordsOf('( ) [ ]');
