import type { Json } from '../../../core/index.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import { readValue } from '../read-value.ts';
import type { Field, Table } from '../table.ts';
import { readClauses, whereOf } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { acceptSeparator, afterArticles, afterTable, isNounAt } from './lookahead.ts';
import { notPlain } from './verdict.ts';

/** The records that a request changes. */
export interface RecordTarget {
  readonly where?: Condition;
  readonly many?: true;
}

/**
 * Reads the description of the records to change, until `isEnd` returns true. Throws if there is none, or if
 * it has a sort order or window, because a change affects either one record or all matching records.
 */
export function readTarget(
  cursor: Cursor,
  table: Table,
  isEnd: (index: number) => boolean = () => false,
): RecordTarget {
  const keyed = cursor.attempt(() => {
    const start = cursor.index;
    cursor.index = afterTable(cursor);
    for (let index = start; index < cursor.index; index++)
      if (cursor.at(grammar.alls, index)) return undefined;
    const keys = readKeys(cursor, table, true);
    const next = afterArticles(cursor, cursor.index + 1);
    if (cursor.at(grammar.targetLeads) && cursor.table(next) > 0) cursor.index = next + cursor.table(next);
    return cursor.isAtEnd() || isEnd(cursor.index) ? keys : undefined;
  });
  if (keyed !== undefined) return keyed;
  const clauses = readClauses(cursor, isEnd);
  const { tail, by, columns, isAll, isNamed } = clauses;
  const [position] = tail.positions.values();
  if (position !== undefined) {
    const hint = 'Add a condition, or name the records.';
    throw cursor.fault('A change cannot be limited to part of a list.', hint, position);
  }
  const field = by ?? columns[0];
  if (field !== undefined)
    throw cursor.fault(
      `The value of "${field.name}" is missing.`,
      `For example: where ${field.name} is …`,
      0,
    );
  const { where } = whereOf(clauses);
  if (where !== undefined) return isKeyOf(table, where) ? { where } : { where, many: true };
  if (!isAll && !isNamed) throw notPlain('It is not clear which records you mean.');
  return isAll ? { many: true } : {};
}

/** Whether the description of the records to change begins at a token, as in `for <key>` or `where …`. */
export function isTargetAt(cursor: Cursor, table: Table, index: number): boolean {
  if (cursor.at(grammar.sureStart, index)) return true;
  if (!cursor.at(grammar.targetLeads, index)) return false;
  const next = afterArticles(cursor, index + 1);
  if (cursor.at(grammar.alls, next) || isNounAt(cursor, next)) return true;
  return (cursor.field(next) ?? cursor.values(next)) !== undefined || isKeyAt(cursor, table, next);
}

/** Whether the words at a token can be a key. */
export function isKeyAt(cursor: Cursor, table: Table, index: number): boolean {
  return cursor.ahead(index, () => readKeys(cursor, table, true)) !== undefined;
}

/** Reads the keys at the next token and moves past them. Returns undefined if no key begins there. */
export function readKeys(cursor: Cursor, { key }: Table, isSure = false): RecordTarget | undefined {
  return cursor.attempt(() => {
    const values: Json[] = [];
    let end = cursor.index;
    const isOne = key.length === 1;
    for (let field = key[0]; field !== undefined; field = key[isOne ? 0 : values.length]) {
      const value = readKeyPart(cursor, field, isSure);
      if (value === undefined) break;
      values.push(value);
      end = cursor.index;
      if (!acceptSeparator(cursor)) break;
    }
    cursor.index = end;
    const [only] = key;
    if (only === undefined || (isOne ? values.length === 0 : values.length < key.length)) return undefined;
    const [value = null, ...more] = values;
    if (!isOne)
      return {
        where: { all: key.map(({ name }, at) => ({ field: name, is: 'equals', value: values[at] ?? null })) },
      };
    if (more.length === 0) return { where: { field: only.name, is: 'equals', value } };
    return { where: { field: only.name, is: 'in', value: [...new Set(values)] }, many: true };
  });
}

function readKeyPart(cursor: Cursor, field: Field, isSure: boolean): Json | undefined {
  const token = cursor.peek();
  if (token === undefined || token.kind === 'sign') return undefined;
  const isListed = cursor.values() !== undefined && field.values === undefined;
  if (token.kind === 'word' && (isListed || cursor.field() !== undefined || cursor.table() > 0))
    return undefined;
  const end = endOfKey(cursor);
  const text =
    token.kind === 'quoted' ? token.text : cursor.text(cursor.index, end).replace(/^#(?=\d+$)/, '');
  const isText = (field.type === 'string' || field.type === 'text') && field.values === undefined;
  if (isText && !looksLikeKey(text) && !(isSure && token.kind === 'quoted')) return undefined;
  const read = readValue(field, text, cursor.clock);
  if ('fault' in read || read.value === null) return undefined;
  cursor.index = end;
  return read.value;
}

/** Returns the end of a key. A colon is part of a key only between other characters of the key. */
function endOfKey({ tokens, index }: Cursor): number {
  let end = index + 1;
  while (tokens[index]?.kind === 'word' && tokens[end]?.start === tokens[end - 1]?.end) {
    const [token, next] = [tokens[end], tokens[end + 1]];
    const isColon = token?.low === ':' && next?.start === token.end;
    if (token?.kind === 'quoted' || (token?.kind === 'sign' && !isColon)) break;
    end++;
  }
  return end;
}

/** Whether text contains a digit or is all capitals, unlike ordinary words. */
export function looksLikeKey(text: string): boolean {
  return /^\S{1,100}$/.test(text) && (/\d/.test(text) || /^[A-Z]{2,}$/.test(text));
}

/** Whether a condition specifies one record's complete key. */
export function isKeyOf({ key }: Table, where: Condition): boolean {
  const parts = 'all' in where ? where.all : [where];
  const named = parts.map((part) => ('field' in part && part.is === 'equals' ? part.field : ''));
  return parts.length === key.length && key.every(({ name }) => named.includes(name));
}
