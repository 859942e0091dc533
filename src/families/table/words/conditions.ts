import { isNumeric } from '../../../engines/values/types.ts';
import { quote, type AgentError } from '../../../core/index.ts';
import { allOf, anyOf, negate, type Condition } from '../../../engines/conditions/conditions.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { readDay } from '../../../engines/values/dates.ts';
import { requestLimits } from '../request/request.ts';
import { labelOf, type Field, type Table } from '../table.ts';
import { readComparison, readVerb, type Verb } from './comparisons.ts';
import { createCursor, longestWords, type Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles, isClauseAt, isNounAt, isPartEndAt, unclearFrom, unclearWord } from './lookahead.ts';
import { unclosed } from './operands.ts';
import { readPeriod } from './lookahead.ts';
import { unclearAt, verdictOf } from './verdict.ts';

const { deepest, maxLeaves } = requestLimits;

/** Parses the entire text as a condition, or returns the first error. */
export function readCondition(
  table: Pick<Table, 'fields'>,
  words: string,
  clock: LocalClock,
): { readonly condition: Condition } | { readonly fault: string; readonly at: number } {
  if (words.length > longestWords)
    return { fault: 'The text is too long to be a condition.', at: longestWords };
  let cursor: Cursor | undefined;
  try {
    cursor = createCursor(table, words, clock);
    const condition = parseCondition(cursor);
    if (cursor.isAtEnd()) return { condition };
    return { fault: `Unexpected ${quote(cursor.peek()?.text ?? '')} in the condition.`, at: cursor.offset() };
  } catch (thrown) {
    const verdict = verdictOf(thrown);
    if (verdict.kind === 'fault') return { fault: verdict.message, at: verdict.at };
    if (verdict.kind === 'question')
      return { fault: `${verdict.text} It can be ${verdict.options.join(' or ')}.`, at: verdict.at };
    return { fault: verdict.why, at: cursor?.offset() ?? 0 };
  }
}

/** Reads the longest possible condition, starting at the next token. `and` binds more tightly than `or`. */
export function parseCondition(cursor: Cursor, depth = 1): Condition {
  if (depth > deepest)
    throw cursor.fault(`The condition is nested deeper than ${deepest} levels.`, 'Flatten it.');
  const parts = [parseAll(cursor, depth)];
  while (
    cursor.attempt(() => {
      cursor.accept(grammar.comma);
      return cursor.accept(grammar.or);
    })
  )
    parts.push(parseAll(cursor, depth));
  return anyOf(parts);
}

function parseAll(cursor: Cursor, depth: number): Condition {
  const parts: Condition[] = [];
  do {
    refuseBoth(cursor, parts.at(-1));
    parts.push(parseOne(cursor, depth));
  } while (hasNext(cursor));
  return allOf(parts);
}

/** Throws for `<field> is a and b`, because no record can have both values. */
function refuseBoth(cursor: Cursor, last: Condition | undefined): void {
  if (last === undefined || !('field' in last) || (last.is !== 'equals' && last.is !== 'in')) return;
  const values = cursor.field() === undefined ? cursor.values()?.found : undefined;
  if (values === undefined || !values.every(({ field }) => field.name === last.field)) return;
  const message = `"${last.field}" cannot be "${values[0]?.value ?? ''}" and something else at once.`;
  throw cursor.fault(message, 'Write "or" between values.');
}

/** Whether another comparison follows. If so, moves past the comma or conjunction before it. */
function hasNext(cursor: Cursor): boolean {
  const read = (): boolean => {
    const hasComma = cursor.accept(grammar.comma) !== undefined;
    const hasAnd = cursor.accept(grammar.ands) !== undefined;
    const next = cursor.index;
    const isOver = next < cursor.tokens.length && isPartEndAt(cursor, next);
    const isOther = !cursor.isAtEnd() && cursor.isStop(next) && cursor.field() === undefined;
    if (hasAnd && !isOver && !isOther) return true;
    if (!hasAnd && isClauseAt(cursor, next) && !cursor.isStop(next)) return true;
    return hasComma && !hasAnd && (cursor.field() ?? cursor.values()) !== undefined;
  };
  return cursor.attempt(read) === true;
}

function parseOne(cursor: Cursor, depth: number): Condition {
  let isNegated = false;
  while (true) {
    if (cursor.accept(grammar.negation)) isNegated = !isNegated;
    else if (cursor.at(grammar.bracketLeads) && isBracketed(cursor)) cursor.index++;
    else break;
  }
  const condition = cursor.at(grammar.opening) ? parseBracketed(cursor, depth) : parseLeaf(cursor);
  return isNegated ? negate(condition) : condition;
}

function isBracketed(cursor: Cursor): boolean {
  return cursor.at(grammar.negation, cursor.index + 1) || cursor.at(grammar.opening, cursor.index + 1);
}

function parseBracketed(cursor: Cursor, depth: number): Condition {
  const at = cursor.index++;
  const condition = parseCondition(cursor, depth + 1);
  if (cursor.accept(grammar.closing)) return condition;
  if (cursor.isAtEnd()) throw unclosed(cursor, at);
  throw cursor.fault(
    `Unexpected "${cursor.peek()?.text ?? ''}" in the condition.`,
    'Join conditions with "and" or "or".',
  );
}

/** Reads one comparison: a field and its value, a field alone, or a listed value alone. */
function parseLeaf(cursor: Cursor): Condition {
  if (++cursor.leaves > maxLeaves)
    throw cursor.fault(`There are more than ${maxLeaves} conditions.`, 'Use fewer conditions.');
  let owner: number | undefined; // The token of a word such as `with`.
  let isNegated = false;
  const signed = (condition: Condition): Condition => (isNegated ? negate(condition) : condition);
  while (true) {
    const field = cursor.field();
    const length = field?.length ?? 0;
    const values = cursor.values();
    if (values !== undefined && values.length >= length && !isCompared(cursor, length, field?.found))
      return signed(parseValue(cursor, values, false));
    if (field !== undefined) {
      const name = cursor.text(cursor.index, cursor.index + length);
      cursor.index += length;
      return signed(parseField(cursor, field.found, name, owner));
    }
    if (cursor.accept(grammar.negation)) isNegated = !isNegated;
    else if (cursor.accept(grammar.without)) return signed(parseAbsent(cursor, owner ?? cursor.index - 1));
    else if (cursor.at(grammar.beforeComparison)) {
      if (cursor.at(grammar.owners)) owner ??= cursor.index;
      cursor.index++;
    } else {
      const described = cursor.described();
      if (described === undefined || isCompared(cursor, described.length)) throw unreadable(cursor);
      return signed(parseValue(cursor, described, true));
    }
  }
}

/** Whether the next `length` words are a field followed by a comparison, rather than a value. */
function isCompared(cursor: Cursor, length: number, { type }: Partial<Field> = {}): boolean {
  if (length === 0) return false;
  const isMoment = type === 'date' || type === 'datetime';
  return cursor.ahead(cursor.index + length, () => {
    if (readVerb(cursor) !== undefined) return true;
    return (
      isMoment &&
      ('day' in readDay(cursor.peek()?.text ?? '', cursor.clock) || readPeriod(cursor) !== undefined)
    );
  });
}

/** Reads a listed value, optionally followed by its field, as in `high priority jobs`. */
function parseValue(
  cursor: Cursor,
  { found, length }: NonNullable<ReturnType<Cursor['values']>>,
  isAlone: boolean,
): Condition {
  const [first, ...others] = found;
  const end = cursor.index + length;
  if (first === undefined || others.length > 0) {
    const options = found.map(({ field, value }) => `${field.name} is "${value}"`);
    const text = cursor.text(cursor.index, end);
    throw unclearAt(
      cursor.offset(),
      cursor.offset() + text.length,
      `What do you mean by "${text}"?`,
      options,
    );
  }
  if (isAlone) {
    cursor.index = end;
    return { field: first.field.name, is: 'equals', value: first.value };
  }
  const condition = readComparison(cursor, first.field, undefined);
  const named = cursor.field();
  if (named?.found === first.field && isKindEnd(cursor, cursor.index + named.length))
    cursor.index += named.length;
  return condition;
}

/** Whether a description of records ends before a token. */
function isKindEnd(cursor: Cursor, index: number): boolean {
  if (isPartEndAt(cursor, index) || isClauseAt(cursor, index) || isNounAt(cursor, index)) return true;
  return cursor.at(grammar.ands, index) || cursor.at(grammar.or, index);
}

/**
 * Reads the comparison after a field. Rejects unquoted text after a plural field name, because the text
 * describes records rather than a field value, as in "which mechanics are late".
 */
function parseField(cursor: Cursor, field: Field, name: string, owner: number | undefined): Condition {
  const verb = readVerb(cursor, field);
  if (verb === undefined) {
    const { index } = cursor;
    const isJoined = cursor.at(grammar.ands) || cursor.at(grammar.or);
    const isAlone = isPartEndAt(cursor) || isJoined || cursor.isStop(index);
    const isBoolean = field.type === 'boolean';
    const isEvent = cursor.names.isEvent(name);
    if (cursor.at(grammar.doings)) throw unclearFrom(cursor);
    const isBefore = isNounAt(cursor) || (isEvent && cursor.values() !== undefined);
    if (isAlone || ((isBoolean || isEvent) && isBefore)) {
      if (isBoolean) return { field: field.name, is: 'equals', value: true };
      if (owner !== undefined && isNumeric(field.type))
        throw unclearNumber(cursor, field, owner, ['is more than 0', 'is not empty']);
      if (owner !== undefined || isEvent) return { field: field.name, is: 'not-empty' };
      const message = `The value to compare "${labelOf(field)}" with is missing.`;
      throw cursor.fault(message, `For example: ${field.name} is …`);
    }
  }
  const isText = (field.type === 'string' || field.type === 'text') && field.values === undefined;
  if (cursor.names.isPlural(name) && isText && !isSure(cursor, verb)) throw unclearFrom(cursor);
  return readComparison(cursor, field, verb);
}

function isSure(cursor: Cursor, verb: Verb | undefined): boolean {
  return verb?.isPlain === false || cursor.peek()?.kind === 'quoted';
}

/** Reads the field after `without`. Without a boolean field means that it is not true, as with `not`. */
function parseAbsent(cursor: Cursor, start: number): Condition {
  cursor.index = afterArticles(cursor);
  const field = cursor.field();
  if (field === undefined) throw unreadable(cursor);
  cursor.index += field.length;
  const { name, type } = field.found;
  if (isNumeric(type)) throw unclearNumber(cursor, field.found, start, ['is 0', 'is empty']);
  return type === 'boolean' ? { field: name, is: 'not-equals', value: true } : { field: name, is: 'empty' };
}

/** Returns the question whether a number that a record has, or has not, is 0 or empty. */
function unclearNumber(
  cursor: Cursor,
  { name }: Field,
  start: number,
  meanings: readonly string[],
): AgentError {
  const text = cursor.text(start, cursor.index);
  const [at, options] = [cursor.offset(start), meanings.map((one) => `where ${name} ${one}`)];
  return unclearAt(at, at + text.length, `What do you mean by "${text}"?`, options);
}

const maxWords = 4;

/**
 * Returns the error for text that is not a comparison. Words before an operator are reported as an unknown
 * field; most other text is left to a model.
 */
function unreadable(cursor: Cursor): AgentError {
  const token = cursor.peek();
  const example = `For example: ${cursor.names.fields[0]?.name ?? 'field'} is "…".`;
  if (token === undefined) return cursor.fault('A condition is missing at the end.', example);
  const { index } = cursor;
  for (let length = 1; length <= maxWords && token.kind === 'word'; length++) {
    const sign = cursor.peek(length);
    const isRead = length === 1 || sign?.kind === 'sign';
    const verb = isRead ? cursor.ahead(index + length, () => readVerb(cursor)) : undefined;
    if (verb !== undefined && sign?.low !== ':')
      return cursor.unknownField(cursor.text(index, index + length));
    if (sign?.kind !== 'word') break;
  }
  if (cursor.isLoose)
    return cursor.unknownField(token.text, 'Quote a value that contains "and", "or" or a comma.');
  if (token.kind === 'sign') return cursor.fault(`A field is missing before ${quote(token.text)}.`, example);
  return unclearWord(cursor);
}
