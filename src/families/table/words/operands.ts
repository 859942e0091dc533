import { didYouMean, quote, type AgentError, type Json } from '../../../core/index.ts';
import { monthNumber } from '../../../engines/values/calendar.ts';
import { numberWord } from '../../../engines/values/numbers.ts';
import { isNumeric, isTextType } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import { labelOf, type Field } from '../table.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { isClauseAt, isTailAt } from './lookahead.ts';
import { faultAt, notPlain } from './verdict.ts';

/** A value as written in the text, before conversion to its field's type. */
export interface Operand {
  readonly raw: Json;
  readonly at: number;
}

/** Reads a field's value at the next token and moves past it. In a list, a comma always ends the value. */
export function readOperand(cursor: Cursor, field: Field, isInList = false): Operand {
  const { index } = cursor;
  const at = cursor.offset();
  const token = cursor.peek();
  cursor.isLoose = false;
  if (token?.kind === 'quoted') {
    cursor.index++;
    return { raw: token.text, at };
  }
  if (field.type === 'array' && cursor.at(grammar.opening)) return { raw: readItems(cursor), at };
  const values = cursor.values();
  const listed = values?.found.find((one) => one.field === field);
  if (listed !== undefined) {
    cursor.index += values?.length ?? 1;
    return { raw: listed.value, at };
  }
  const end = endOf(cursor, field, isInList);
  if (end === index) {
    const before = token === undefined ? '' : ` before ${quote(token.text)}`;
    const label = labelOf(field);
    const hint = `Add the value of "${label}", in quotes if needed.`;
    throw cursor.fault(`A value for "${label}" is missing${before}.`, hint);
  }
  const isNothing = end === index + 1 && cursor.at(grammar.nothings);
  const text = cursor.text(index, end);
  cursor.index = end;
  cursor.isLoose = field.type === 'string' || field.type === 'text';
  return { raw: isNothing ? null : isNumeric(field.type) ? (numberWord(text) ?? text) : text, at };
}

/** Reads a field's value and converts it. If it is invalid, throws a fault that includes its position. */
export function readFieldValue(cursor: Cursor, field: Field): Json {
  const { raw, at } = readOperand(cursor, field);
  const read = readValue(field, raw, cursor.clock);
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

/** Returns the index of the first token that cannot be part of an unquoted value. */
function endOfRun(cursor: Cursor, { type }: Field): number {
  const { tokens, index } = cursor;
  let end = index;
  for (; end < tokens.length; end++) {
    const token = tokens[end];
    if (token === undefined || token.kind === 'quoted' || cursor.at(grammar.valueBreaks, end)) break;
    const isJoined = end > index && tokens[end - 1]?.end === token.start;
    const isInUrl = type === 'url' && isJoined && !cursor.at(grammar.closing, end) && token.low !== ',';
    if (cursor.at(grammar.valueStops, end) && !isInUrl) break;
    if (token.low === ':' && !(isJoined && tokens[end + 1]?.start === token.end)) break;
    if (end > index && !isJoined && isOver(cursor, end)) break;
  }
  return end;
}

/** Whether another clause, the sorting or grouping of a list, or a field with an operator begins at a token. */
function isOver(cursor: Cursor, index: number): boolean {
  if (cursor.isStop(index) || isClauseAt(cursor, index)) return true;
  if (cursor.hasTail && isTailAt(cursor, index)) return true;
  const field = cursor.field(index);
  return field !== undefined && cursor.at(grammar.signs, index + field.length);
}

/** Throws if an unquoted value contains a field name, because it is unclear where the value ends. */
function clearEnd(cursor: Cursor, field: Field, end: number): number {
  for (let index = cursor.index; index < end - 1; index++) {
    const named = cursor.field(index);
    if (named === undefined || index + named.length >= end || named.found === field) continue;
    const word = cursor.text(index, index + named.length);
    throw cursor.fault(
      `It is not clear whether "${word}" is part of the value of "${labelOf(field)}".`,
      `Quote the value, or put a comma before "${word}".`,
      index,
    );
  }
  return end;
}

/** Returns the end of a number, including thousands separators, so that an error can quote all of it. */
function endOfNumber(cursor: Cursor, most: number): number {
  const { words, index, tokens } = cursor;
  const start = cursor.offset();
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
  for (; last < tokens.length && last - index < maxParts; last++)
    if (last >= most && !isInsideDate(cursor, last)) break;
  for (let end = last; end > index; end--) {
    if ('value' in readValue(field, cursor.text(index, end), clock))
      return /^\d/.test(tokens[end]?.text ?? '') && end < most ? most : end;
  }
  return most;
}

/** Whether a token continues a date: a colon, or a year or time with an optional comma. */
function isInsideDate(cursor: Cursor, index: number): boolean {
  const { tokens } = cursor;
  if (tokens[index]?.low === ':') return true;
  const number = cursor.at(grammar.comma, index) ? tokens[index + 1] : tokens[index];
  return number?.kind === 'word' && index > cursor.index && /^\d{1,4}(?:[ap]m)?$/.test(number.low);
}

function endOfChunk({ tokens, index }: Cursor, most: number): number {
  let end = index + 1;
  while (end < most && tokens[end]?.start === tokens[end - 1]?.end) end++;
  return Math.min(end, most);
}

function readItems(cursor: Cursor): Json {
  const at = cursor.index++;
  const items: string[] = [];
  while (!cursor.accept(grammar.closing)) {
    const token = cursor.peek();
    if (token === undefined) throw unclosed(cursor, at);
    if (token.kind === 'sign')
      throw cursor.fault(`${quote(token.text)} cannot be in a list.`, 'Put a comma between items.');
    const from = cursor.index++;
    while (token.kind === 'word' && cursor.peek()?.kind === 'word') cursor.index++;
    items.push(token.kind === 'quoted' ? token.text : cursor.text(from, cursor.index));
    cursor.accept(grammar.comma);
  }
  return items;
}

/** Returns the fault for a bracket that is opened at a token and never closed. */
export function unclosed(cursor: Cursor, index: number): AgentError {
  return cursor.fault('The bracket is not closed.', 'Close or remove the bracket.', index);
}
