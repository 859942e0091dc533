import type { AgentError } from '../../../../core/index.ts';
import { negate } from '../../request/join-conditions.ts';
import type { Condition } from '../../request/request.ts';
import { labelOf } from '../../show/label-of.ts';
import type { Field } from '../../table.ts';
import { quote } from '../../values/quote.ts';
import { afterArticles, isClauseAt, isPartEndAt } from './condition-start.ts';
import {
  accept,
  fieldAt,
  isAt,
  peek,
  offsetOf,
  tableLength,
  textBetween,
  valuesAt,
  type Cursor,
} from '../cursor.ts';
import { readComparison } from './read-comparison.ts';
import { readVerb, type Verb } from '../read-verb.ts';
import { faultAt, notClear, unclearAt } from '../stop.ts';
import { unknownField } from '../unknown-field.ts';
import {
  ands,
  articles,
  beings,
  introducers,
  nots,
  nouns,
  ors,
  prepositions,
  wordsOf,
} from '../vocabulary.ts';

/** Reads one comparison: a field and its value, a field alone, or a listed value alone. */
export function parseLeaf(cursor: Cursor): Condition {
  let owns = false;
  let isNegated = false;
  while (true) {
    const { index } = cursor;
    const field = fieldAt(cursor);
    const values = valuesAt(cursor);
    if (values !== undefined && values.length >= (field?.length ?? 0) && !isCompared(cursor, field?.length)) {
      return signed(parseValue(cursor, values.found, values.length), isNegated);
    }
    if (field !== undefined) {
      cursor.index += field.length;
      const isPlural = cursor.names.isPlural(textBetween(cursor, index, cursor.index));
      return signed(parseField(cursor, field.found, owns, isPlural), isNegated);
    }
    if (accept(cursor, nots)) isNegated = !isNegated;
    else if (accept(cursor, withouts)) return signed(parseAbsent(cursor), isNegated);
    else if (isAt(cursor, index, fillers)) {
      owns ||= isAt(cursor, index, owners);
      cursor.index++;
    } else throw unreadable(cursor);
  }
}

const withouts = wordsOf('without no lacking');
const owners = wordsOf('with having have has had');
const fillers = new Set([...introducers, ...prepositions, ...articles, ...beings]);

function signed(condition: Condition, isNegated: boolean): Condition {
  return isNegated ? negate(condition) : condition;
}

/** Whether the next `length` words are a field followed by a comparison, rather than a value. */
function isCompared(cursor: Cursor, length = 0): boolean {
  if (length === 0) return false;
  const { index } = cursor;
  cursor.index += length;
  const isVerb = readVerb(cursor) !== undefined;
  cursor.index = index;
  return isVerb;
}

/** Reads a listed value, optionally followed by its field, as in `high priority jobs`. */
function parseValue(
  cursor: Cursor,
  found: readonly { readonly field: Field; readonly value: string }[],
  length: number,
): Condition {
  const [first, ...others] = found;
  const { index } = cursor;
  const [at, end] = [offsetOf(cursor, index), cursor.tokens[index + length - 1]?.end ?? 0];
  if (first === undefined || others.length > 0) {
    const options = found.map(({ field, value }) => `${field.name} is "${value}"`);
    throw unclearAt(at, end, `What do you mean by "${cursor.words.slice(at, end)}"?`, options);
  }
  const condition = readComparison(cursor, first.field, undefined);
  const named = fieldAt(cursor);
  if (named?.found === first.field && isKindEnd(cursor, cursor.index + named.length))
    cursor.index += named.length;
  return condition;
}

/** Whether a description of records ends before a token. */
function isKindEnd(cursor: Cursor, index: number): boolean {
  if (isPartEndAt(cursor, index) || isClauseAt(cursor, index) || tableLength(cursor, index) > 0) return true;
  return isAt(cursor, index, ands) || isAt(cursor, index, ors) || isAt(cursor, index, nouns);
}

/** Reads the comparison after a field. */
function parseField(cursor: Cursor, field: Field, owns: boolean, isPlural: boolean): Condition {
  const start = cursor.index;
  const verb = readVerb(cursor, field);
  if (verb !== undefined) return readSure(cursor, field, verb, isPlural);
  const { index } = cursor;
  const isAlone =
    isPartEndAt(cursor, index) ||
    isAt(cursor, index, ands) ||
    isAt(cursor, index, ors) ||
    cursor.isStop(index);
  const isBefore = field.type === 'boolean' && (tableLength(cursor) > 0 || isAt(cursor, index, nouns));
  if (isAt(cursor, index, doings)) throw unclearFrom(cursor, index);
  if (!isAlone && !isBefore) return readSure(cursor, field, undefined, isPlural);
  if (field.type === 'boolean') return { field: field.name, is: 'equals', value: true };
  if (owns) return { field: field.name, is: 'not-empty' };
  const label = labelOf(field);
  throw faultAt(
    offsetOf(cursor, start),
    `The value to compare "${label}" with is missing.`,
    `For example: ${field.name} is …`,
  );
}

const doings = wordsOf('have has had do does did can could will would should must may');

/**
 * Reads a comparison. Rejects unquoted text after a plural field name, because the text describes records
 * rather than a field value, as in "which mechanics are late".
 */
function readSure(cursor: Cursor, field: Field, verb: Verb | undefined, isPlural: boolean): Condition {
  const isText = (field.type === 'string' || field.type === 'text') && field.values === undefined;
  const isValue = verb?.isPlain === false || peek(cursor)?.kind === 'quoted';
  if (isPlural && isText && !isValue) throw unclearFrom(cursor, cursor.index);
  return readComparison(cursor, field, verb);
}

/** Returns the error for unclear text from a token to the end. */
export function unclearFrom(cursor: Cursor, index: number): AgentError {
  return notClear(textBetween(cursor, index, cursor.tokens.length));
}

/** Reads the field after `without`. Without a boolean field means that it is not true, as with `not`. */
function parseAbsent(cursor: Cursor): Condition {
  cursor.index = afterArticles(cursor, cursor.index);
  const field = fieldAt(cursor);
  if (field === undefined) throw unreadable(cursor);
  cursor.index += field.length;
  const { name, type } = field.found;
  return type === 'boolean' ? { field: name, is: 'not-equals', value: true } : { field: name, is: 'empty' };
}

const maxWords = 4;

/**
 * Returns the error for text that is not a comparison. Words before an operator are reported as an unknown
 * field; most other text is left to a model.
 */
function unreadable(cursor: Cursor): AgentError {
  const token = peek(cursor);
  if (token === undefined) {
    return faultAt(offsetOf(cursor, cursor.index), 'A condition is missing at the end.', exampleOf(cursor));
  }
  const start = cursor.index;
  for (let length = 1; length <= maxWords && token.kind === 'word'; length++) {
    cursor.index = start + length;
    const sign = peek(cursor);
    const verb = length === 1 || sign?.kind === 'sign' ? readVerb(cursor) : undefined;
    if (verb !== undefined && sign?.low !== ':') {
      const word = textBetween(cursor, start, start + length);
      return unknownField(cursor, word, token.start);
    }
    if (sign?.kind !== 'word') break;
  }
  cursor.index = start;
  if (cursor.isLoose) {
    const hint = 'Quote a value that contains "and", "or" or a comma.';
    return unknownField(cursor, token.text, token.start, hint);
  }
  if (token.kind === 'sign')
    return faultAt(token.start, `A field is missing before ${quote(token.text)}.`, exampleOf(cursor));
  return notClear(token.text);
}

function exampleOf({ names }: Cursor): string {
  return `For example: ${names.fields[0]?.name ?? 'field'} is "…".`;
}
