import { didYouMean, type AgentError, type Json } from '../../../../core/index.ts';
import { isNumeric, isTextType } from '../../request/comparisons-of.ts';
import { labelOf } from '../../show/label-of.ts';
import type { Field } from '../../table.ts';
import { monthNumber } from '../../values/calendar.ts';
import { quote } from '../../values/quote.ts';
import { readValue } from '../../values/read-value.ts';
import { isClauseAt } from './condition-start.ts';
import { fieldAt, isAt, peek, placeOf, textBetween, valuesAt, type Cursor } from '../cursor.ts';
import { numberWord } from '../read-number.ts';
import { faultAt, notPlain } from '../stop.ts';
import { isTailAt } from '../tail-start.ts';
import { closing, comma, nothings, opening, wordsOf } from '../vocabulary.ts';

/** A value that stands in the text, not yet in the form of its field. */
export interface Operand {
  readonly raw: Json;
  readonly at: number;
}

/** The value for a field at the next token, which is stepped over. In a list, a comma always ends it. */
export function readOperand(cursor: Cursor, field: Field, isInList = false): Operand {
  const at = placeOf(cursor, cursor.index);
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

/** A value of a field in its form; throws the fault where it stands. */
export function convertOperand({ clock }: Cursor, field: Field, { raw, at }: Operand): Json {
  const read = readValue(field, raw, clock);
  if ('value' in read) return read.value;
  if (field.resolver !== undefined) return raw; // code that knows how people say it looks at it
  throw faultOf(field, { raw, at }, read.fault, hintFor(field, raw));
}

/** What is thrown for a value that is none of its field: a day that people know by its name may be known to others. */
export function faultOf({ type }: Field, { raw, at }: Operand, fault: string, hint: string): AgentError {
  const isMoment = type === 'date' || type === 'datetime';
  const isWhole = typeof raw !== 'string' || /\b\d{4}\b/.test(raw);
  if (!isMoment || isWhole || !raw.split(/\s+/).some(isNamedDay)) return faultAt(at, fault, hint);
  return notPlain(
    monthNumber(raw.toLowerCase()) === undefined ? fault : `It is not said which year ${quote(raw)} is of.`,
  );
}

function isNamedDay(word: string): boolean {
  return (
    monthNumber(word.toLowerCase()) !== undefined ||
    /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i.test(word)
  );
}

/** What to do about a value that is none of its field. */
export function hintFor({ values = [], type }: Field, raw: Json): string {
  const near = typeof raw === 'string' && isTextType(type) ? didYouMean(raw, values) : undefined;
  if (near !== undefined) return near;
  if (values.length > 0) return 'Say one of these values.';
  return isTextType(type)
    ? 'Put it into quotes where it has several words.'
    : `Say a value of the type ${type}.`;
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

/** Up to what cannot be part of a value without quotes. */
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

/** Whether an order, a window or another condition begins. */
function isOver(cursor: Cursor, index: number): boolean {
  return isClauseAt(cursor, index) || (cursor.hasTail && isTailAt(cursor, index));
}

/** Whether a field with a sign behind it begins, as in `price = 5`. */
function isSigned(cursor: Cursor, index: number): boolean {
  const field = fieldAt(cursor, index);
  return field !== undefined && isAt(cursor, index + field.length, signs);
}

const signs = wordsOf('= != < <= > >= :');

/** Words that are a field inside of a value without quotes make it unclear where that ends. */
function clearEnd(cursor: Cursor, field: Field, end: number): number {
  for (let index = cursor.index; index < end - 1; index++) {
    const named = fieldAt(cursor, index);
    if (named === undefined || index + named.length >= end || named.found === field) continue;
    const word = textBetween(cursor, index, index + named.length);
    throw faultAt(
      placeOf(cursor, index),
      `It is not clear whether "${word}" is part of the value of "${labelOf(field)}".`,
      `Put the value into quotes, or a comma before "${word}".`,
    );
  }
  return end;
}

/** With its thousands, or whatever else is written as one: what that is not is told as a whole. */
function endOfNumber(cursor: Cursor, most: number): number {
  const { words, index, tokens } = cursor;
  const start = placeOf(cursor, index);
  const written = /^[-+\u2212]?\d[\d.]*(?:,\d[\d.]*)+/.exec(words.slice(start, start + 60))?.[0];
  if (written === undefined) return Math.min(most, index + 1);
  let end = index;
  while ((tokens[end]?.end ?? Number.POSITIVE_INFINITY) <= start + written.length) end++;
  return Math.max(end, Math.min(most, index + 1));
}

const mostParts = 10; // tokens of a date with its time

/** The longest run that is a date or time; the whole run when none is. */
function endOfMoment(cursor: Cursor, field: Field, most: number): number {
  const { tokens, index, clock } = cursor;
  let last = index;
  for (; last < tokens.length && last - index < mostParts; last++) {
    if (last >= most && !isInsideDate(cursor, last)) break;
  }
  for (let end = last; end > index; end--) {
    if ('value' in readValue(field, textBetween(cursor, index, end), clock)) {
      return /^\d/.test(tokens[end]?.text ?? '') && end < most ? most : end;
    }
  }
  return most;
}

/** A comma before a year or a time, and what follows it. */
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
  const at = placeOf(cursor, cursor.index);
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
      throw faultAt(
        token.start,
        `${quote(token.text)} cannot stand in a list.`,
        'Put a comma between items.',
      );
  }
  cursor.index++;
  return items;
}

/** The fault of a bracket that is never closed. */
export function unclosed(at: number): AgentError {
  return faultAt(at, 'The bracket is not closed.', 'Close it, or leave it away.');
}

function missing(cursor: Cursor, field: Field): AgentError {
  const label = labelOf(field);
  const token = peek(cursor);
  const found = token === undefined ? '' : ` before ${quote(token.text)}`;
  return faultAt(
    placeOf(cursor, cursor.index),
    `A value for "${label}" is missing${found}.`,
    `Say what "${label}" is, in quotes where needed.`,
  );
}
