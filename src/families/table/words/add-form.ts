import { normaliseKey, quote, type AgentError, type Json } from '../../../core/index.ts';
import { isTextType } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import type { TableRequest } from '../request/request.ts';
import type { Field, Table } from '../table.ts';
import { checkAssignable, readFieldValues } from './assignments.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterArticles, afterTable } from './lookahead.ts';
import { looksLikeKey } from './targets.ts';
import { notPlain, unclearAt } from './verdict.ts';

/** Reads the rest of a request after `add` or a synonym. */
export function readAdd(cursor: Cursor, table: Table): TableRequest {
  skipOpening(cursor);
  cursor.accept(grammar.addLeads);
  if (cursor.isAtEnd()) return { operation: 'add', records: [{}] };
  const { index, tokens } = cursor;
  const isDescriber = describersIn(cursor);
  if (tokens.some((_, at) => at >= index && isDescriber(at)))
    return { operation: 'add', records: [readDescription(cursor, table, isDescriber)] };
  if (cursor.field() === undefined && !cursor.at(grammar.assignSigns, index + 1))
    throw nearField(cursor) ?? noField(cursor, index, tokens.length);
  return { operation: 'add', records: [readFieldValues(cursor, { isNew: true })] };
}

function skipOpening(cursor: Cursor): void {
  let before: number;
  do {
    before = cursor.index;
    cursor.skip(grammar.addFillers);
    if (cursor.field() === undefined || isOnlyTable(cursor)) cursor.index = afterTable(cursor);
  } while (cursor.index > before);
}

/** Whether a name that the table shares with a field refers to the table, judging by the words after it. */
function isOnlyTable(cursor: Cursor): boolean {
  const next = afterTable(cursor);
  const isEnd = next >= cursor.tokens.length || cursor.at(grammar.addLeads, next);
  return next > cursor.index && (isEnd || cursor.field(next) !== undefined);
}

/** Returns an error if the next word is similar to a field name and probably misspelt. */
function nearField(cursor: Cursor): AgentError | undefined {
  const token = cursor.peek();
  if (token?.kind !== 'word' || token.text.length < 3) return undefined;
  const hint = cursor.names.similarTo(token.text);
  return hint === undefined ? undefined : cursor.unknownField(token.text, hint);
}

function noField(cursor: Cursor, from: number, to: number): AgentError {
  const at = cursor.offset(from);
  const span = { at, end: cursor.tokens[to - 1]?.end ?? at };
  return notPlain(`It is not clear which field ${quote(cursor.tokens[from]?.text ?? '')} is for.`, { span });
}

/**
 * Returns a function that checks for a phrase that introduces a name or place at a token. After the first
 * field, such a phrase is part of an unquoted value.
 */
function describersIn(cursor: Cursor): (index: number) => boolean {
  const { index: start, tokens } = cursor;
  const found = tokens.findIndex((_, index) => index >= start && cursor.field(index) !== undefined);
  const firstField = found === -1 ? tokens.length : found;
  return (index) => {
    const describer = cursor.find(grammar.describers, index)?.found;
    const before = tokens[index - 1];
    const isOver = index < firstField || before?.kind === 'quoted' || before?.low === ',';
    if (describer === undefined || !isOver || cursor.values(index) !== undefined) return false;
    if (describer === 'name') return index + 1 < tokens.length;
    return index > start && cursor.field(afterArticles(cursor, index + 1)) === undefined;
  };
}

/** Reads a sentence such as `drill called D-9 in the back room, price 5`. Asks if the fields are ambiguous. */
function readDescription(
  cursor: Cursor,
  table: Table,
  isDescriber: (index: number) => boolean,
): Readonly<Record<string, Json>> {
  let set: Record<string, Json> = {};
  let noun: readonly [number, number] | undefined;
  const put = (field: Field, value: Json): void => {
    checkAssignable(cursor, field, set, true);
    set[field.name] = value;
  };
  while (!cursor.isAtEnd()) {
    const start = cursor.index;
    const values = cursor.values();
    const [only, ...others] = values?.found ?? [];
    const describer = isDescriber(start) ? cursor.accept(grammar.describers) : undefined;
    if (describer !== undefined) {
      const [field, text] = fieldFor(cursor, table, describer, set, isDescriber);
      const read = readValue(field, text, cursor.clock);
      if ('fault' in read) throw cursor.fault(read.fault, 'Quote the value.', start + 1);
      put(field, read.value);
    } else if (only !== undefined && others.length === 0) {
      put(only.field, only.value);
      cursor.index += values?.length ?? 1;
    } else if (cursor.field() !== undefined) {
      set = { ...readFieldValues(cursor, { isNew: true, isEnd: isDescriber, known: set }) };
    } else if (cursor.at(grammar.betweenDescriptions) || cursor.table() > 0) {
      cursor.index += Math.max(cursor.table(), 1);
    } else if (noun === undefined || noun[1] === start) {
      noun = [noun?.[0] ?? start, start + 1];
      cursor.index++;
    } else throw noField(cursor, start, start + 1);
  }
  if (noun === undefined) return set;
  const name = table.fields.find((field) => isCalled(field, nameWords) && !Object.hasOwn(set, field.name));
  if (name === undefined || !isTextType(name.type)) throw noField(cursor, ...noun);
  return { [name.name]: cursor.text(...noun), ...set };
}

/** Returns the field that a name or place belongs to, and its text. Throws a question if several fit. */
function fieldFor(
  cursor: Cursor,
  table: Table,
  describer: 'name' | 'location',
  set: Readonly<Record<string, Json>>,
  isEnd: (index: number) => boolean,
): readonly [Field, string] {
  const start = cursor.index - 1;
  const from = describer === 'location' ? afterArticles(cursor) : cursor.index;
  let end = from + 1;
  const isQuoted = cursor.tokens[from]?.kind === 'quoted';
  while (
    !isQuoted &&
    end < cursor.tokens.length &&
    !isEnd(end) &&
    !cursor.at(grammar.betweenDescriptions, end)
  )
    end++;
  const text = isQuoted ? (cursor.tokens[from]?.text ?? '') : cursor.text(from, end);
  cursor.index = end;
  const free = table.fields.filter(
    (field) =>
      field.derivator === undefined && !Object.hasOwn(set, field.name) && isReadable(cursor, field, text),
  );
  const tiers = describer === 'name' ? nameTiers(text) : locationTiers;
  const fits = tiers.map((isFit) => free.filter(isFit)).find((tier) => tier.length > 0) ?? [];
  const [field, ...others] = fits;
  if (field !== undefined && others.length === 0) return [field, text];
  const [at, to] = [cursor.offset(start), cursor.tokens[end - 1]?.end ?? 0];
  if (field === undefined) throw noField(cursor, from, end);
  const options = fits.map(({ name }) => `${name} ${JSON.stringify(text)}`);
  throw unclearAt(at, to, `Which field is "${cursor.words.slice(at, to)}" for?`, options);
}

function isReadable(cursor: Cursor, field: Field, text: string): boolean {
  return 'value' in readValue(field, text, cursor.clock);
}

type Tier = (field: Field) => boolean;

/** The kinds of fields that a name can belong to. The first kind that the table has is meant. */
function nameTiers(text: string): readonly Tier[] {
  const isKey: Tier = ({ key, type }) => key === 'given' && isTextType(type);
  const isName: Tier = (field) => field.key === undefined && isCalled(field, nameWords);
  return looksLikeKey(text) ? [isKey, isName, isFree] : [isName, isKey, isFree];
}

/** The kinds of fields that a place or time can belong to. */
const locationTiers: readonly Tier[] = [
  ({ values }) => values !== undefined,
  ({ type }) => type === 'date' || type === 'datetime' || type === 'time',
  ({ references }) => references !== undefined,
  (field) => isCalled(field, locationWords),
  isFree,
];

function isFree({ type, key, values, name, label }: Field): boolean {
  return (
    type === 'string' && key === undefined && values === undefined && !isCalled({ name, label }, nameWords)
  );
}

const nameWords: ReadonlySet<string> = new Set(['name', 'title']);
const locationWords: ReadonlySet<string> = new Set([
  'place',
  'location',
  'room',
  'area',
  'site',
  'shelf',
  'where',
]);

function isCalled(
  { name, label = '' }: Pick<Field, 'name'> & { readonly label?: string | undefined },
  words: ReadonlySet<string>,
): boolean {
  return [name, label].some((one) =>
    normaliseKey(one)
      .split('-')
      .some((word) => words.has(word)),
  );
}
