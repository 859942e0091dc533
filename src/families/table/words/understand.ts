import type { MeaningOf } from '../../../engines/phrases/phrases.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import type { TableRequest } from '../request/request.ts';
import type { Table } from '../table.ts';
import { readAdd } from './add-form.ts';
import { createCursor, longestWords, type Cursor } from './cursor.ts';
import { readExport, readImport } from './file-forms.ts';
import { grammar } from './grammar.ts';
import { afterArticles, isTableNear, isTailAt, unclearWord } from './lookahead.ts';
import { isNumber } from './lookahead.ts';
import { readList, readMeasure, readOpened, readPlain, readQuestion } from './read-forms.ts';
import { notPlain, verdictOf, type Understood } from './verdict.ts';
import { readClear, readDelete, readMark, readUpdate } from './write-forms.ts';

/**
 * Parses plain words as a request to a table, without a model. Words that cannot be interpreted are reported,
 * never ignored. Never throws.
 */
export function understand(table: Table, words: string, clock: LocalClock): Understood {
  if (words.length > longestWords)
    return { kind: 'unknown', why: 'The request is too long to understand without a model.' };
  const said = words.replace(thanks, '');
  const part = said.replace(inPart, '');
  if (part !== said) {
    const understood = read(table, part, clock);
    const { operation } = understood.kind === 'request' ? understood.request : {};
    if (understood.kind === 'request' && (operation === 'update' || operation === 'delete'))
      return { kind: 'request', request: { ...understood.request, partial: true } as TableRequest };
  }
  return read(table, said, clock);
}

/** Matches polite words such as "please" at the end, which are not part of a value. */
const thanks = /(?<=\S)(?:\s*,)?\s+(?:please|thanks|thank you)[\s.!?]*$/i;
/** Matches the end of a change that can leave out records with errors. */
const inPart = /(?<=\S)\s+(?:as far as|where) possible[\s.!?]*$/i;

function read(table: Table, words: string, clock: LocalClock): Understood {
  try {
    const cursor = createCursor(table, words, clock);
    const request = readRequest(cursor, table);
    if (cursor.isAtEnd()) return { kind: 'request', request };
    throw unclearWord(cursor);
  } catch (thrown) {
    return verdictOf(thrown);
  }
}

/** The forms of requests: the phrases of the verb with the same name, and what reads the rest. */
const forms: Readonly<Record<Verb, (cursor: Cursor, table: Table) => TableRequest>> = {
  list: readList,
  open: readOpened,
  question: readQuestion,
  count: (cursor) => readMeasure(cursor, 'count'),
  group: (cursor) => readMeasure(cursor, 'group'),
  sum: (cursor) => readMeasure(cursor, 'sum'),
  average: (cursor) => readMeasure(cursor, 'average'),
  minimum: (cursor) => readMeasure(cursor, 'minimum'),
  maximum: (cursor) => readMeasure(cursor, 'maximum'),
  add: readAdd,
  update: readUpdate,
  mark: readMark,
  clear: mustClear,
  delete: readDelete,
  import: readImport,
  export: readExport,
};

type Verb = MeaningOf<typeof grammar.verbs> | 'open';

function readRequest(cursor: Cursor, table: Table): TableRequest {
  if (cursor.isAtEnd()) throw notPlain('The text is empty.');
  cursor.skip(grammar.courtesies);
  const plain = readPlain(cursor);
  if (plain !== undefined) return plain;
  const verb =
    cursor.accept(grammar.verbs) ?? (beginsList(cursor) ? 'list' : cursor.accept(grammar.openVerb));
  if (verb === undefined)
    throw notPlain(`The request does not begin with a word such as list, show, count, add, set or delete.`);
  return forms[verb](cursor, table);
}

/**
 * Whether a list begins without a verb: with the table, a window such as `first 5`, or conditions before the
 * table.
 */
function beginsList(cursor: Cursor): boolean {
  let index = afterArticles(cursor);
  if (cursor.at(grammar.alls, index)) {
    index = afterArticles(cursor, index + 1);
    if ((cursor.field(index) ?? cursor.values(index)) !== undefined) return true;
  }
  return isWindow(cursor, index) || isTableNear(cursor, index);
}

function isWindow(cursor: Cursor, index: number): boolean {
  const isAge = cursor.at(grammar.leadingAges, index);
  const isFirst = cursor.at(grammar.leadingWindows, index);
  if (isFirst && isTailAt(cursor, index)) return true;
  if (!isFirst && !isAge) return false;
  return isNumber(cursor.tokens[index + 1]) ? isAge : isTableNear(cursor, index + 1);
}

function mustClear(cursor: Cursor, table: Table): TableRequest {
  const cleared = readClear(cursor, table);
  if (cleared === undefined) throw notPlain('It is not clear which field you mean.');
  return cleared;
}

/** A question whose answer replaces the words from `at` to `end`. Without options, any text is an answer. */
export interface Meaning {
  readonly text: string;
  readonly options: readonly string[];
  readonly at: number;
  readonly end: number;
  /** The word before an answer in the user's own words. */
  readonly lead?: string;
}

const maxTried = 60; // The maximum number of candidates. Each is parsed.
const maxOptions = 9;
const longestAsked = 2_000; // The maximum length of a text that is asked about.

/**
 * Returns a question about words that no form explains, for use without a model. Its options are the values
 * and fields that the words could refer to, and each of them makes the text a request. Returns undefined if
 * there is nothing to ask.
 */
export function meaningOf(
  table: Table,
  words: string,
  { span, missing }: Extract<Understood, { kind: 'unknown' }>,
  clock: LocalClock,
): Meaning | undefined {
  const length = words.replace(/[\s.!?]+$/, '').length;
  if (missing !== undefined) return { ...missing, options: [], at: length, end: words.length };
  if (span === undefined || words.length > longestAsked) return undefined;
  const [before, after] = [words.slice(0, span.at), words.slice(span.end)];
  const said = words.slice(span.at, span.end).replace(/^["']|["']$/g, '');
  const isRequest = (option: string): boolean =>
    understand(table, `${before}${option}${after}`, clock).kind === 'request';
  // After "is", or before a noun, words describe records. Otherwise, they are more likely to be in a text.
  const isAdjective = /\b(?:is|are|was|were|as|not)\s+$/i.test(before) || /\w/.test(after);
  const options = candidates(table, said, isAdjective)
    .slice(0, maxTried)
    .flatMap((spellings) => spellings.find(isRequest) ?? [])
    .slice(0, maxOptions);
  return options.length === 0 ? undefined : { text: `What do you mean by "${said}"?`, options, ...span };
}

/** Returns what words could stand for, in several spellings each: a listed value, or text in a field. */
function candidates({ fields }: Table, said: string, isAdjective: boolean): readonly (readonly string[])[] {
  const text = JSON.stringify(said);
  const listed = fields.flatMap(({ name, values = [] }) =>
    values.map((value) => [`${name} is ${JSON.stringify(value)}`, `${name} ${JSON.stringify(value)}`]),
  );
  const free = fields
    .filter(({ type, values }) => (type === 'string' || type === 'text') && values === undefined)
    .toSorted((one, other) => Number(one.key !== undefined) - Number(other.key !== undefined))
    .map(({ name }) => [`${name} contains ${text}`, `${name} ${text}`]);
  return isAdjective ? [...listed, ...free] : [...free, ...listed];
}
