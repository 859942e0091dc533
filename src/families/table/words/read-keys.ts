import type { Json } from '../../../core/index.ts';
import type { Condition } from '../request/request.ts';
import type { Field, Table } from '../table.ts';
import { readValue } from '../values/read-value.ts';
import { accept, fieldAt, tableLength, textBetween, valuesAt, type Cursor } from './cursor.ts';
import { ands, comma } from './vocabulary.ts';

/** Reads the keys at the next token and moves past them. Returns undefined if no key begins there. */
export function readKeys(
  cursor: Cursor,
  { key }: Table,
  isSure = false,
): { readonly where: Condition; readonly many?: true } | undefined {
  const start = cursor.index;
  const values: Json[] = [];
  const maxOf = (index: number): Field | undefined => key[key.length === 1 ? 0 : index];
  let end = start;
  for (let field = maxOf(0); field !== undefined; field = maxOf(values.length)) {
    const value = readKeyPart(cursor, field, isSure);
    if (value === undefined) break;
    values.push(value);
    end = cursor.index;
    const isJoined = accept(cursor, comma);
    if (!accept(cursor, ands) && !isJoined) break;
  }
  const [only, ...others] = key;
  const isWhole = others.length === 0 ? values.length > 0 : values.length === key.length;
  cursor.index = isWhole ? end : start;
  if (!isWhole || only === undefined) return undefined;
  if (others.length > 0) {
    return {
      where: { all: key.map(({ name }, at) => ({ field: name, is: 'equals', value: values[at] ?? null })) },
    };
  }
  const [value = null, ...more] = values;
  if (more.length === 0) return { where: { field: only.name, is: 'equals', value } };
  return { where: { field: only.name, is: 'in', value: [...new Set(values)] }, many: true };
}

function readKeyPart(cursor: Cursor, field: Field, isSure: boolean): Json | undefined {
  const { tokens, index, clock } = cursor;
  const token = tokens[index];
  if (token === undefined || token.kind === 'sign') return undefined;
  const isNamed =
    fieldAt(cursor) !== undefined ||
    tableLength(cursor) > 0 ||
    (valuesAt(cursor) !== undefined && field.values === undefined);
  if (token.kind === 'word' && isNamed) return undefined;
  const end = endOfKey(cursor);
  const text =
    token.kind === 'quoted' ? token.text : textBetween(cursor, index, end).replace(/^#(?=\d+$)/, '');
  const isLikely = looksLikeKey(text) || (isSure && token.kind === 'quoted');
  if (isText(field) && field.values === undefined && !isLikely) return undefined;
  const read = readValue(field, text, clock);
  if ('fault' in read || read.value === null) return undefined;
  cursor.index = end;
  return read.value;
}

/** Returns the end of a key. A colon is part of a key only between other characters of the key. */
function endOfKey({ tokens, index }: Cursor): number {
  let end = index + 1;
  while (tokens[index]?.kind === 'word' && tokens[end]?.start === tokens[end - 1]?.end) {
    const [token, next] = [tokens[end], tokens[end + 1]];
    if (
      token?.kind === 'quoted' ||
      (token?.kind === 'sign' && (token.low !== ':' || next?.start !== token.end))
    )
      break;
    end++;
  }
  return end;
}

function isText({ type }: Field): boolean {
  return type === 'string' || type === 'text';
}

/** Whether text contains a digit or is all capitals, unlike ordinary words. */
function looksLikeKey(text: string): boolean {
  return /^\S{1,100}$/.test(text) && (/\d/.test(text) || /^[A-Z]{2,}$/.test(text));
}

/** Whether a condition specifies one record's complete key. */
export function isKeyOf({ key }: Table, where: Condition | undefined): boolean {
  if (where === undefined) return false;
  const parts = 'all' in where ? where.all : [where];
  const named = parts.map((part) => ('field' in part && part.is === 'equals' ? part.field : ''));
  return parts.length === key.length && key.every(({ name }) => named.includes(name));
}
