import { didYouMean, type AgentError, type Json } from '../../../../core/index.ts';
import { isNumeric, isTextType } from '../../request/comparisons-of.ts';
import { labelOf } from '../../show/label-of.ts';
import type { Field } from '../../table.ts';
import { monthNumber } from '../../values/calendar.ts';
import { quote } from '../../values/quote.ts';
import { readValue } from '../../values/read-value.ts';
import { isClauseAt } from './condition-start.ts';
import { fieldAt, isAt, peek, offsetOf, textBetween, valuesAt, type Cursor } from '../cursor.ts';
import { numberWord } from '../read-number.ts';
import { faultAt, notPlain } from '../stop.ts';
import { isTailAt } from '../tail-start.ts';
import { closing, comma, nothings, opening, wordsOf } from '../vocabulary.ts';

/** A value as written in the text, before conversion to its field's type. */
export interface Operand {
  readonly raw: Json;
  readonly at: number;
}

/** Reads a field's value at the next token and moves past it. In a list, a comma always ends the value. */
export function readOperand(cursor: Cursor, field: Field, isInList = false): Operand {
  const at = offsetOf(cursor, cursor.index);
  const token = peek(cursor);
  cursor.isLoose = false;
  if (token?.kind === 'quoted') {
    cursor.index++;
    return { raw: token.text, at };
  }
  if (field.type === 'array' && isAt(cursor, cursor.index, opening)) return { raw: readItems(cursor), at };
  const listed = valuesAt(cursor)?.found.find((one) => one.field === field);
  if (listed !== undefined) {
    cursor.index += valuesAt(cursor)?.length ?? 1;
    return { raw: listed.value, at };
  }
  const end = endOf(cursor, field, isInList);
  if (end === cursor.index) throw missing(cursor, field);
  const isNothing = end === cursor.index + 1 && isAt(cursor, cursor.index, nothings);
  const text = textBetween(cursor, cursor.index, end);
  const raw = isNothing ? null : isNumeric(field.type) ? (numberWord(text) ?? text) : text;
  cursor.index = end;
  cursor.isLoose = field.type === 'string' || field.type === 'text';
  return { raw, at };
}

/**
 * Converts a value to its field's type. If the value is invalid, throws a fault that includes the value's
 * position.
 */
export function convertOperand({ clock }: Cursor, field: Field, { raw, at }: Operand): Json {
  const read = readValue(field, raw, clock);
  if ('value' in read) return read.value;
  if (field.resolver !== undefined) return raw; // The resolver's code will parse the value.
  throw faultOf(field, { raw, at }, read.fault, hintFor(field, raw));
}

/**
 * Returns the error for a field's invalid value. Text that names a day or month is passed to a model, which
 * may understand it.
 */
export function faultOf({ type }: Field, { raw, at }: Operand, fault: string, hint: string): AgentError {
  const isMoment = type === 'date' || type === 'datetime';
  const isWhole = typeof raw !== 'string' || /\b\d{4}\b/.test(raw);
  if (!isMoment || isWhole || !raw.split(/\s+/).some(isNamedDay)) return faultAt(at, fault, hint);
  return notPlain(
    monthNumber(raw.toLowerCase()) === undefined ? fault : `The year is missing in ${quote(raw)}.`,
  );
}

function isNamedDay(word: string): boolean {
  return (
    monthNumber(word.toLowerCase()) !== undefined ||
    /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i.test(word)
  );
}

/** Returns the hint for a field's invalid value. */
export function hintFor({ values = [], type }: Field, raw: Json): string {
  const near = typeof raw === 'string' && isTextType(type) ? didYouMean(raw, values) : undefined;
  if (near !== undefined) return near;
  if (values.length > 0) return 'Use one of these values.';
  return isTextType(type) ? 'Quote a value that has several words.' : `Use a value of type ${type}.`;
}

function endOf(cursor: Cursor, field: Field, isInList: boolean): number {
  const most = endOfRun(cursor, field);
  switch (field.type) {
    case 'integer':
    case 'bigint':
    case 'decimal':
      return isInList ? Math.min(most, cursor.index + 1) : endOfNumber(cursor, most);
    case 'boolean':
      return Math.min(most, cursor.index + 1);
    case 'date':
    case 'datetime':
    case 'time':
      return endOfMoment(cursor, field, most);
    case 'email':
    case 'url':
    case 'uuid':
      return endOfChunk(cursor, most);
    default:
      return field.values === undefined ? clearEnd(cursor, field, most) : most;
  }
}

const breaks = wordsOf('and or but nor & plus');
const stops = wordsOf(', ; ( ) [ ] = != < <= > >=');

/** Returns the index of the first token that cannot be part of an unquoted value. */
function endOfRun(cursor: Cursor, { type }: Field): number {
  const { tokens, index, isStop } = cursor;
  let end = index;
  for (; end < tokens.length; end++) {
    const token = tokens[end];
    if (token === undefined || token.kind === 'quoted' || isAt(cursor, end, breaks)) break;
    const isJoined = end > index && tokens[end - 1]?.end === token.start;
    if (
      isAt(cursor, end, stops) &&
      !(type === 'url' && isJoined && !isAt(cursor, end, closing) && !isAt(cursor, end, comma))
    )
      break;
    if (token.low === ':' && !(isJoined && tokens[end + 1]?.start === token.end)) break;
    if (end > index && !isJoined && (isStop(end) || isOver(cursor, end) || isSigned(cursor, end))) break;
  }
  return end;
}

/** Whether another clause, or the sorting or grouping of a list, begins at a token. */
function isOver(cursor: Cursor, index: number): boolean {
  return isClauseAt(cursor, index) || (cursor.hasTail && isTailAt(cursor, index));
}

/** Whether a field followed by an operator symbol begins at a token, as in `price = 5`. */
function isSigned(cursor: Cursor, index: number): boolean {
  const field = fieldAt(cursor, index);
  return field !== undefined && isAt(cursor, index + field.length, signs);
}

const signs = wordsOf('= != < <= > >= :');

/** Throws if an unquoted value contains a field name, because it is unclear where the value ends. */
function clearEnd(cursor: Cursor, field: Field, end: number): number {
  for (let index = cursor.index; index < end - 1; index++) {
    const named = fieldAt(cursor, index);
    if (named === undefined || index + named.length >= end || named.found === field) continue;
    const word = textBetween(cursor, index, index + named.length);
    throw faultAt(
      offsetOf(cursor, index),
      `It is not clear whether "${word}" is part of the value of "${labelOf(field)}".`,
      `Quote the value, or put a comma before "${word}".`,
    );
  }
  return end;
}

/** Returns the end of a number, including thousands separators, so that an error can quote all of it. */
function endOfNumber(cursor: Cursor, most: number): number {
  const { words, index, tokens } = cursor;
  const start = offsetOf(cursor, index);
  const written = /^[-+\u2212]?\d[\d.]*(?:,\d[\d.]*)+/.exec(words.slice(start, start + 60))?.[0];
  if (written === undefined) return Math.min(most, index + 1);
  let end = index;
  while ((tokens[end]?.end ?? Number.POSITIVE_INFINITY) <= start + written.length) end++;
  return Math.max(end, Math.min(most, index + 1));
}

const maxParts = 10; // The maximum number of tokens in a date and time.

/** Returns the end of the longest run of tokens that form a date or time, or `most` if there is none. */
function endOfMoment(cursor: Cursor, field: Field, most: number): number {
  const { tokens, index, clock } = cursor;
  let last = index;
  for (; last < tokens.length && last - index < maxParts; last++) {
    if (last >= most && !isInsideDate(cursor, last)) break;
  }
  for (let end = last; end > index; end--) {
    if ('value' in readValue(field, textBetween(cursor, index, end), clock)) {
      return /^\d/.test(tokens[end]?.text ?? '') && end < most ? most : end;
    }
  }
  return most;
}

/** Whether a token continues a date: a colon, or a year or time with an optional comma. */
function isInsideDate(cursor: Cursor, index: number): boolean {
  const { tokens } = cursor;
  if (tokens[index]?.low === ':') return true;
  const number = isAt(cursor, index, comma) ? tokens[index + 1] : tokens[index];
  return number?.kind === 'word' && index > cursor.index && /^\d{1,4}(?:[ap]m)?$/.test(number.low);
}

function endOfChunk({ tokens, index }: Cursor, most: number): number {
  let end = index + 1;
  while (end < most && tokens[end]?.start === tokens[end - 1]?.end) end++;
  return Math.min(end, most);
}

function readItems(cursor: Cursor): Json {
  const at = offsetOf(cursor, cursor.index);
  const items: string[] = [];
  cursor.index++;
  while (!isAt(cursor, cursor.index, closing)) {
    const token = peek(cursor);
    if (token === undefined) throw unclosed(at);
    if (token.kind !== 'sign') {
      const from = cursor.index;
      while (peek(cursor)?.kind === 'word' && token.kind === 'word') cursor.index++;
      if (token.kind === 'quoted') cursor.index++;
      items.push(token.kind === 'quoted' ? token.text : textBetween(cursor, from, cursor.index));
      if (isAt(cursor, cursor.index, comma)) cursor.index++;
    } else
      throw faultAt(token.start, `${quote(token.text)} cannot be in a list.`, 'Put a comma between items.');
  }
  cursor.index++;
  return items;
}

/** Returns the fault for an unclosed bracket. */
export function unclosed(at: number): AgentError {
  return faultAt(at, 'The bracket is not closed.', 'Close or remove the bracket.');
}

function missing(cursor: Cursor, field: Field): AgentError {
  const label = labelOf(field);
  const token = peek(cursor);
  const found = token === undefined ? '' : ` before ${quote(token.text)}`;
  return faultAt(
    offsetOf(cursor, cursor.index),
    `A value for "${label}" is missing${found}.`,
    `Add the value of "${label}", in quotes if needed.`,
  );
}
