import { quote, type Json, type JsonObject } from '../../../core/index.ts';
import type { TableRequest } from '../request/request.ts';
import { labelOf, type Table } from '../table.ts';
import { checkAssignable, readAssignedField, readFieldValues } from './assignments.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles } from './lookahead.ts';
import { readFieldValue } from './operands.ts';
import { isKeyAt, isTargetAt, readTarget, type RecordTarget } from './targets.ts';
import { notPlain, unclearAt } from './verdict.ts';

/** Reads the rest of a request after `set`, `change` or `update`. */
export function readUpdate(cursor: Cursor, table: Table): TableRequest {
  const start = afterArticles(cursor);
  const field = cursor.field(start);
  if (field === undefined) {
    refuseUnknown(cursor, table, start);
    return readTargetFirst(cursor, table);
  }
  const isOf = cursor.at(grammar.targetLeads, start + field.length);
  return isOf ? readFieldOf(cursor, table) : readFieldFirst(cursor, table);
}

/** Throws if `to` or a synonym, or `of` and a key, follows a word that is not a known field. */
function refuseUnknown(cursor: Cursor, table: Table, index: number): void {
  const token = cursor.tokens[index];
  const isKnown = cursor.table(index) > 0 || cursor.values(index) !== undefined;
  if (token?.kind !== 'word' || isKnown || cursor.at(grammar.alls, index)) return;
  if (isKeyAt(cursor, table, index)) return;
  const isOf = cursor.at(grammar.targetLeads, index + 1) && isKeyAt(cursor, table, index + 2);
  if (isOf || cursor.at(grammar.tos, index + 1)) throw cursor.unknownField(token.text, undefined, index);
}

/** Reads `<field> to <value> for <key>`. */
function readFieldFirst(cursor: Cursor, table: Table): TableRequest {
  const isEnd = (index: number): boolean => isTargetAt(cursor, table, index);
  const set = readFieldValues(cursor, { isNew: false, isEnd });
  if (cursor.isAtEnd()) refuseHidden(cursor);
  return finishUpdate(cursor, table, {}, set);
}

/** Reads the records to change, if they follow the values. */
function finishUpdate(cursor: Cursor, table: Table, target: RecordTarget, set: JsonObject): TableRequest {
  if (cursor.isAtEnd()) return update(target, set);
  cursor.accept(grammar.targetLeads);
  return update(readTarget(cursor, table), set);
}

/** Throws if the end of an unquoted value could also be a reference to the record to change. */
function refuseHidden(cursor: Cursor): void {
  const { tokens } = cursor;
  const at = tokens.findLastIndex((_, index) => cursor.at(grammar.hiddenTargets, index));
  if (!cursor.isLoose || at <= 0 || at === tokens.length - 1) return;
  if (!tokens.slice(at).every(({ kind, low }) => kind === 'word' && low !== 'and')) return;
  const message = `It is not clear whether ${quote(cursor.text(at))} is part of the value.`;
  const hint = 'Quote the value, and name the record by its key or with "where" and a condition.';
  throw cursor.fault(message, hint, at);
}

/** Reads `<field> of <key> to <value>`. */
function readFieldOf(cursor: Cursor, table: Table): TableRequest {
  cursor.index = afterArticles(cursor);
  const field = readAssignedField(cursor, {}, false);
  cursor.accept(grammar.targetLeads);
  const isEnd = (index: number): boolean => cursor.at(grammar.tos, index);
  const target = cursor.until(isEnd, () => readTarget(cursor, table, isEnd));
  if (!cursor.accept(grammar.tos))
    throw cursor.fault(`The value for "${labelOf(field)}" is missing.`, 'Add "to" and the value.');
  const value = readFieldValue(cursor, field);
  if (cursor.at(grammar.commaOrAnd)) {
    const message = `It is not clear what ${quote(cursor.text(cursor.index))} belongs to.`;
    const hint =
      'Quote a value that contains "and" or a comma. To set several fields, write: set <field> to <value>, <field> to <value> for <key>.';
    throw cursor.fault(message, hint);
  }
  return update(target, { [field.name]: value });
}

/**
 * Reads `<key> <field> <value>`, `<table> where … set <field> = <value>` or `<table> set <field> = <value>
 * where …`.
 */
function readTargetFirst(cursor: Cursor, table: Table): TableRequest {
  const first = cursor.index;
  const isEnd = (index: number): boolean => {
    if (cursor.at(grammar.setLeads, index))
      return cursor.field(afterArticles(cursor, index + 1)) !== undefined;
    if (cursor.index === index && index <= 1) return false;
    const isTarget =
      cursor.at(grammar.targetLeads, index - 1) || cursor.at(grammar.conditionWords, index - 1);
    return cursor.field(index) !== undefined && !isTarget;
  };
  const isSet = (index: number): boolean => cursor.at(grammar.setWord, index) && isEnd(index);
  const target = cursor.until(isSet, () => readTarget(cursor, table, isEnd));
  cursor.accept(grammar.setLeads);
  if (cursor.isAtEnd()) {
    const missing = { text: `What do you want to change in ${cursor.text(first)}?`, lead: '' };
    throw notPlain('It is not clear what to change.', { missing });
  }
  const isTarget = (index: number): boolean => target.where === undefined && isTargetAt(cursor, table, index);
  return finishUpdate(cursor, table, target, readFieldValues(cursor, { isNew: false, isEnd: isTarget }));
}

/** Reads `mark <key> as <value>`, where the value is a listed value or a boolean field. */
export function readMark(cursor: Cursor, table: Table): TableRequest {
  const isEnd = (index: number): boolean => cursor.at(grammar.ases, index);
  const target = cursor.until(isEnd, () => readTarget(cursor, table, isEnd));
  if (!cursor.accept(grammar.ases)) {
    const missing = { text: 'What do you want to mark it as?', lead: 'as' };
    throw notPlain('It is not clear what to mark the record as.', { missing });
  }
  const isNegated = cursor.accept(grammar.negation) !== undefined;
  const [at, end] = [cursor.index, cursor.tokens.length];
  const [field, values] = [cursor.field(), cursor.values()];
  const text = cursor.text(at);
  const span = { at: cursor.offset(at), end: cursor.offset(at) + text.length };
  if (values !== undefined && !isNegated && at + values.length === end) {
    const [only, ...others] = values.found;
    if (only === undefined || others.length > 0) {
      const options = values.found.map((one) => `${one.field.name} "${one.value}"`);
      throw unclearAt(span.at, span.end, `What do you mean by "${text}"?`, options);
    }
    checkAssignable(cursor, only.field, {}, false);
    cursor.index = end;
    return update(target, { [only.field.name]: only.value });
  }
  if (field?.found.type === 'boolean' && at + field.length === end) {
    checkAssignable(cursor, field.found, {}, false);
    cursor.index = end;
    return update(target, { [field.found.name]: !isNegated });
  }
  if (field === undefined || isNegated) throw notPlain(`"${text}" is not a value of any field.`, { span });
  return update(target, readFieldValues(cursor, { isNew: false }));
}

/** Reads `clear <field> of <key>`, which removes values. Returns undefined if no fields are named. */
export function readClear(cursor: Cursor, table: Table): TableRequest | undefined {
  return cursor.attempt(() => {
    const set: Record<string, Json> = {};
    do {
      cursor.index = afterArticles(cursor);
      if (cursor.field() === undefined) break;
      set[readAssignedField(cursor, set, false).name] = null;
    } while (cursor.accept(grammar.commaOrAnd));
    const isTarget = cursor.isAtEnd() || isTargetAt(cursor, table, cursor.index);
    return Object.keys(set).length > 0 && isTarget ? finishUpdate(cursor, table, {}, set) : undefined;
  });
}

/** Reads the rest of a request after `delete` or a synonym. */
export function readDelete(cursor: Cursor, table: Table): TableRequest {
  const cleared = readClear(cursor, table);
  if (cleared !== undefined) return cleared;
  return { operation: 'delete', ...(cursor.isAtEnd() ? {} : readTarget(cursor, table)) };
}

function update({ where, many }: RecordTarget, set: JsonObject): TableRequest {
  return {
    operation: 'update',
    ...(where === undefined ? {} : { where }),
    set,
    ...(many === undefined ? {} : { many }),
  };
}
