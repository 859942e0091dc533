import type { Json, JsonObject } from '../../../../core/index.ts';
import type { TableRequest } from '../../request/request.ts';
import { labelOf } from '../../show/label-of.ts';
import type { Table } from '../../table.ts';
import { quote } from '../../values/quote.ts';
import { afterArticles } from '../conditions/condition-start.ts';
import {
  accept,
  fieldAt,
  isAt,
  isAtEnd,
  offsetOf,
  tableLength,
  textBetween,
  valuesAt,
  type Cursor,
} from '../cursor.ts';
import { checkAssignable, readFieldValues } from '../read-field-values.ts';
import { readKeys } from '../read-keys.ts';
import { convertOperand, readOperand } from '../conditions/read-operand.ts';
import { readTarget, type RecordTarget } from '../read-target.ts';
import { faultAt, notPlain, unclearAt } from '../stop.ts';
import { unknownField } from '../unknown-field.ts';
import { alls, nots, nouns, wordsOf } from '../vocabulary.ts';

/** Reads the rest of a request after `set`, `change` or `update`. */
export function readUpdate(cursor: Cursor, table: Table): TableRequest {
  const start = afterArticles(cursor, cursor.index);
  const field = fieldAt(cursor, start);
  if (field === undefined) {
    refuseUnknown(cursor, table, start);
    return readTargetFirst(cursor, table);
  }
  const next = start + field.length;
  return isAt(cursor, next, befores) && !isAt(cursor, next, signs)
    ? readFieldOf(cursor, table)
    : readFieldFirst(cursor, table);
}

/** Throws if `to` or a synonym, or `of` and a key, follows a word that is not a known field. */
function refuseUnknown(cursor: Cursor, table: Table, index: number): void {
  const token = cursor.tokens[index];
  if (token?.kind !== 'word' || tableLength(cursor, index) > 0 || valuesAt(cursor, index) !== undefined)
    return;
  if (isAt(cursor, index, alls) || isKeyAt(cursor, table, index)) return;
  const isOf = isAt(cursor, index + 1, befores) && isKeyAt(cursor, table, index + 2);
  if (!isOf && !isAt(cursor, index + 1, tos)) return;
  throw unknownField(cursor, token.text, token.start);
}

const signs = wordsOf('= :');
const tos = wordsOf('to = as :');

/** Reads `<field> to <value> for <key>`. */
function readFieldFirst(cursor: Cursor, table: Table): TableRequest {
  const isEnd = (index: number): boolean => isTargetAt(cursor, table, index);
  const set = readFieldValues(cursor, { isNew: false, isEnd });
  if (isAtEnd(cursor)) {
    refuseHidden(cursor);
    return update({}, set);
  }
  accept(cursor, befores);
  return update(
    mustTarget(cursor, table, () => false),
    set,
  );
}

/** Throws if the end of an unquoted value could also be a reference to the record to change. */
function refuseHidden(cursor: Cursor): void {
  if (!cursor.isLoose) return;
  const { tokens } = cursor;
  const at = tokens.findLastIndex((_, index) => isAt(cursor, index, hidden));
  const isInside = at > 0 && tokens.slice(at).every(({ kind, low }) => kind === 'word' && low !== 'and');
  if (!isInside || at === tokens.length - 1) return;
  throw faultAt(
    offsetOf(cursor, at),
    `It is not clear whether ${quote(textBetween(cursor, at, tokens.length))} is part of the value.`,
    'Quote the value, and name the record by its key or with "where" and a condition.',
  );
}

const hidden = wordsOf('for of');

/** Reads `<field> of <key> to <value>`. */
function readFieldOf(cursor: Cursor, table: Table): TableRequest {
  cursor.index = afterArticles(cursor, cursor.index);
  const at = offsetOf(cursor, cursor.index);
  const named = fieldAt(cursor);
  if (named === undefined) throw notPlain('A field is missing.');
  checkAssignable(named.found, at, {}, false);
  cursor.index += named.length + 1;
  const isEnd = (index: number): boolean => isAt(cursor, index, tos);
  const { isStop } = cursor;
  cursor.isStop = isEnd;
  const target = mustTarget(cursor, table, isEnd);
  cursor.isStop = isStop;
  if (!accept(cursor, tos)) {
    throw faultAt(
      offsetOf(cursor, cursor.index),
      `The value for "${labelOf(named.found)}" is missing.`,
      'Add "to" and the value.',
    );
  }
  const value = convertOperand(cursor, named.found, readOperand(cursor, named.found));
  if (isAt(cursor, cursor.index, joints))
    throw faultAt(
      offsetOf(cursor, cursor.index),
      `It is not clear what ${quote(textBetween(cursor, cursor.index, cursor.tokens.length))} belongs to.`,
      'Quote a value that contains "and" or a comma. To set several fields, write: set <field> to <value>, <field> to <value> for <key>.',
    );
  return update(target, { [named.found.name]: value });
}

/**
 * Reads `<key> <field> <value>`, `<table> where … set <field> = <value>` or `<table> set <field> = <value>
 * where …`.
 */
function readTargetFirst(cursor: Cursor, table: Table): TableRequest {
  const isEnd = (index: number): boolean =>
    isAt(cursor, index, leads)
      ? fieldAt(cursor, afterArticles(cursor, index + 1)) !== undefined
      : isAssigned(cursor, index);
  const { isStop } = cursor;
  cursor.isStop = (index) => isAt(cursor, index, sets) && isEnd(index);
  const target = mustTarget(cursor, table, isEnd);
  cursor.isStop = isStop;
  accept(cursor, leads);
  if (isAtEnd(cursor)) throw notPlain('It is not clear what to change.');
  const isPlain = target.where === undefined && target.many === undefined;
  const isTarget = (index: number): boolean =>
    (isPlain || target.where === undefined) && isTargetAt(cursor, table, index);
  const set = readFieldValues(cursor, { isNew: false, isEnd: isTarget });
  if (isAtEnd(cursor)) return update(target, set);
  accept(cursor, befores);
  return update(
    mustTarget(cursor, table, () => false),
    set,
  );
}

const leads = wordsOf('set : , with so to');
const sets = wordsOf('set');

/** Whether assignments, which begin with a field name, start at a token, after the records to change. */
function isAssigned(cursor: Cursor, index: number): boolean {
  if (cursor.index === index && index <= 1) return false;
  return (
    fieldAt(cursor, index) !== undefined &&
    !isAt(cursor, index - 1, befores) &&
    !isAt(cursor, index - 1, conditional)
  );
}

const conditional = wordsOf('where whose with having and or not has have');

/** Reads `mark <key> as <value>`, where the value is a listed value or a boolean field. */
export function readMark(cursor: Cursor, table: Table): TableRequest {
  const isEnd = (index: number): boolean => isAt(cursor, index, ases);
  cursor.isStop = isEnd;
  const target = mustTarget(cursor, table, isEnd);
  if (!accept(cursor, ases)) throw notPlain('It is not clear what to mark the record as.');
  const isNegated = accept(cursor, nots);
  const [at, field, value] = [offsetOf(cursor, cursor.index), fieldAt(cursor), valuesAt(cursor)];
  if (value !== undefined && !isNegated && cursor.index + value.length === cursor.tokens.length) {
    const [only, ...others] = value.found;
    const end = cursor.tokens.at(-1)?.end ?? at;
    if (only === undefined || others.length > 0) {
      const options = value.found.map((one) => `${one.field.name} "${one.value}"`);
      throw unclearAt(at, end, `What do you mean by "${cursor.words.slice(at, end)}"?`, options);
    }
    cursor.index += value.length;
    checkAssignable(only.field, at, {}, false);
    return update(target, { [only.field.name]: only.value });
  }
  if (field?.found.type === 'boolean' && cursor.index + field.length === cursor.tokens.length) {
    cursor.index += field.length;
    checkAssignable(field.found, at, {}, false);
    return update(target, { [field.found.name]: !isNegated });
  }
  if (field === undefined || isNegated)
    throw notPlain(`"${cursor.words.slice(at).trim()}" is not a value of any field.`);
  return update(target, readFieldValues(cursor, { isNew: false, isEnd: () => false }));
}

const ases = wordsOf('as');

/** Reads `clear <field> of <key>`, which removes values. Returns undefined if no fields are named. */
export function readClear(cursor: Cursor, table: Table): TableRequest | undefined {
  const start = cursor.index;
  const set: Record<string, Json> = {};
  do {
    cursor.index = afterArticles(cursor, cursor.index);
    const named = fieldAt(cursor);
    if (named === undefined) break;
    checkAssignable(named.found, offsetOf(cursor, cursor.index), set, false);
    set[named.found.name] = null;
    cursor.index += named.length;
  } while (accept(cursor, joints));
  if (Object.keys(set).length > 0 && isAtEnd(cursor)) return update({}, set);
  if (Object.keys(set).length > 0 && isTargetAt(cursor, table, cursor.index)) {
    accept(cursor, befores);
    return update(
      mustTarget(cursor, table, () => false),
      set,
    );
  }
  cursor.index = start;
  return undefined;
}

const joints = wordsOf(', and');

function mustTarget(cursor: Cursor, table: Table, isEnd: (index: number) => boolean): RecordTarget {
  const target = readTarget(cursor, table, isEnd);
  if (target === undefined) throw notPlain('It is not clear which records you mean.');
  return target;
}

function update({ where, many }: RecordTarget, set: JsonObject): TableRequest {
  return {
    operation: 'update',
    ...(where === undefined ? {} : { where }),
    set,
    ...(many === undefined ? {} : { many }),
  };
}

/** Whether the description of the records to change begins at a token, as in `for <key>` or `where …`. */
function isTargetAt(cursor: Cursor, table: Table, index: number): boolean {
  if (isAt(cursor, index, certain)) return true;
  if (!isAt(cursor, index, befores)) return false;
  const next = afterArticles(cursor, index + 1);
  if (isAt(cursor, next, alls) || isAt(cursor, next, nouns) || tableLength(cursor, next) > 0) return true;
  if ((fieldAt(cursor, next) ?? valuesAt(cursor, next)) !== undefined) return true;
  return isKeyAt(cursor, table, next);
}

/** Whether the words at a token can be a key. */
function isKeyAt(cursor: Cursor, table: Table, index: number): boolean {
  const here = cursor.index;
  cursor.index = index;
  const isKey = readKeys(cursor, table, true) !== undefined;
  cursor.index = here;
  return isKey;
}

const certain = wordsOf('where whose');
/** Prepositions that can precede the records to change, after the assignments. */
const befores = wordsOf('for on of in from');
