import type { Measure, PlainRequest, TableRequest } from '../request/request.ts';
import type { Table, TableClock } from '../table.ts';
import { afterArticles, afterTable, isTableNear } from './conditions/condition-start.ts';
import { createCursor, fieldAt, isAt, isAtEnd, peek, valuesAt, type Cursor } from './cursor.ts';
import { readAdd } from './forms/read-add.ts';
import { readList, readOpened } from './forms/read-list.ts';
import { readCounted, readMeasured } from './forms/read-measured.ts';
import { readExport, readImport } from './forms/read-transfer.ts';
import { readClear, readMark, readUpdate } from './forms/read-update.ts';
import { longestWords } from './longest-words.ts';
import { acceptPhrase, buildPhrases, phraseAt } from './phrases.ts';
import { isNumber } from './read-number.ts';
import { readTarget } from './read-target.ts';
import { notClear, notPlain, verdictOf } from './stop.ts';
import { isTailAt } from './tail-start.ts';
import type { Understood } from './understood.ts';
import { alls, wordsOf } from './vocabulary.ts';

/**
 * Parses plain words as a request to a table, without a model. Words that cannot be interpreted are reported,
 * never ignored. Never throws.
 */
export function understand(table: Table, words: string, clock: TableClock): Understood {
  if (words.length > longestWords)
    return { kind: 'unknown', why: 'The request is too long to understand without a model.' };
  try {
    const cursor = createCursor(table, words.replace(thanks, ''), clock);
    const request = readRequest(cursor, table);
    if (isAtEnd(cursor)) return { kind: 'request', request };
    throw notClear(peek(cursor)?.text ?? '');
  } catch (thrown) {
    return verdictOf(thrown);
  }
}

/** Matches polite words such as "please" at the end, which are not part of a value. */
const thanks = /(?<=\S)(?:\s*,)?\s+(?:please|thanks|thank you)[\s.!?]*$/i;

function readRequest(cursor: Cursor, table: Table): TableRequest {
  if (isAtEnd(cursor)) throw notPlain('The text is empty.');
  while (acceptPhrase(cursor, courtesies) !== undefined);
  const plain = readPlain(cursor);
  if (plain !== undefined) {
    cursor.index = cursor.tokens.length;
    return plain;
  }
  const verb = acceptPhrase(cursor, verbs) ?? (beginsList(cursor) ? 'list' : acceptPhrase(cursor, openings));
  if (verb === undefined)
    throw notPlain(`The request does not begin with a word such as list, show, count, add, set or delete.`);
  return readForm(cursor, table, verb);
}

/**
 * Whether a list begins without a verb: with the table, a window such as `first 5`, or conditions before the
 * table.
 */
function beginsList(cursor: Cursor): boolean {
  let index = afterArticles(cursor, cursor.index);
  if (isAt(cursor, index, alls)) {
    index = afterArticles(cursor, index + 1);
    if ((fieldAt(cursor, index) ?? valuesAt(cursor, index)) !== undefined) return true;
  }
  return isWindow(cursor, index) || isTableNear(cursor, index);
}

function isWindow(cursor: Cursor, index: number): boolean {
  if (isAt(cursor, index, windows) && isTailAt(cursor, index)) return true;
  if (!isAt(cursor, index, windows) && !isAt(cursor, index, ages)) return false;
  return isNumber(cursor.tokens[index + 1]) ? isAt(cursor, index, ages) : isTableNear(cursor, index + 1);
}

const windows = wordsOf('first last top');
const ages = wordsOf('newest latest oldest');

type Form =
  | 'list'
  | 'open'
  | 'question'
  | 'count'
  | 'group'
  | Exclude<Measure, 'count'>
  | 'add'
  | 'update'
  | 'mark'
  | 'clear'
  | 'delete'
  | 'import'
  | 'export';

function readForm(cursor: Cursor, table: Table, verb: Form): TableRequest {
  switch (verb) {
    case 'list':
      return readList(cursor, table);
    case 'open':
      return readOpened(cursor, table);
    case 'question': {
      const inner = acceptPhrase(cursor, asked);
      return inner === undefined ? readList(cursor, table) : readForm(cursor, table, inner);
    }
    case 'count':
      return readCounted(cursor, false);
    case 'group':
      return readCounted(cursor, true);
    case 'add':
      return readAdd(cursor);
    case 'update':
      return readInPart(cursor, (rest) => readUpdate(rest, table));
    case 'mark':
      return readInPart(cursor, (rest) => readMark(rest, table));
    case 'clear': {
      const cleared = readClear(cursor, table);
      if (cleared === undefined) throw notPlain('It is not clear which field you mean.');
      return cleared;
    }
    case 'delete':
      return readInPart(cursor, (rest) => readClear(rest, table) ?? readDelete(rest, table));
    case 'import':
      return readImport(cursor);
    case 'export':
      return readExport(cursor);
    default:
      return readMeasured(cursor, verb);
  }
}

const courtesies = buildPhrases<true>([
  true,
  "please|can you|could you|would you|i want to|i would like to|i'd like to|let us|now",
]);

const measured: readonly (readonly [Form, string])[] = [
  ['sum', 'sum|sum of|sum up|total|total of|total up'],
  ['average', 'average|average of|avg|avg of|mean|mean of'],
  ['minimum', 'min|min of|minimum|minimum of|lowest|smallest|least|earliest'],
  ['maximum', 'max|max of|maximum|maximum of|highest|largest|greatest|biggest'],
];

const verbs = buildPhrases<Form>(
  [
    'list',
    'list|show|display|find|get|give me|give us|search|search for|look for|look up|view|fetch|print|see|read',
  ],
  ['question', "which|what|what is|what are|what's|who|who is|who are|tell me"],
  ['count', 'count|how many|number of|the number of|total number of|count of'],
  ['group', 'group'],
  ...measured,
  ['add', 'add|create|new|insert|register'],
  ['update', 'set|change|update|modify|edit'],
  ['mark', 'mark'],
  ['clear', 'clear|unset|empty'],
  ['delete', 'delete|remove|drop|erase'],
  ['import', 'import|load'],
  ['export', 'export|save'],
);

// Treat "open" as a verb only before a single key, because "open" can also be a status value.
const openings = buildPhrases<Form>(['open', 'open']);

const asked = buildPhrases<Form>(
  ['count', 'the number of|number of|the total number of|how many'],
  ...measured.map(
    ([form, phrases]) =>
      [form, [phrases, ...phrases.split('|').map((phrase) => `the ${phrase}`)].join('|')] as const,
  ),
);

/** Reads the rest of a request that begins with `delete` or a synonym. */
function readDelete(cursor: Cursor, table: Table): TableRequest {
  const target = isAtEnd(cursor) ? {} : readTarget(cursor, table, () => false);
  if (target === undefined) throw notPlain('It is not clear which records you mean.');
  return { operation: 'delete', ...target };
}

/** Parses a change, optionally followed by `as far as possible`. */
function readInPart(cursor: Cursor, read: (cursor: Cursor) => TableRequest): TableRequest {
  const length = endLength(cursor);
  if (length === 0) return read(cursor);
  const before = { ...cursor, tokens: cursor.tokens.slice(0, -length) };
  const request = read(before);
  cursor.index = isAtEnd(before) ? cursor.tokens.length : before.index;
  return request.operation === 'update' || request.operation === 'delete'
    ? { ...request, partial: true }
    : request;
}

function endLength(cursor: Cursor): number {
  const lengths = [2, 4].filter((length) => {
    const start = cursor.tokens.length - length;
    return start > cursor.index && phraseAt(cursor, ends, start)?.length === length;
  });
  return lengths[0] ?? 0;
}

const ends = buildPhrases<true>([true, 'as far as possible|where possible']);

/**
 * Reads a request that consists of a few fixed words and an optional table name. Returns undefined for other
 * text.
 */
function readPlain(cursor: Cursor): PlainRequest | undefined {
  const named = phraseAt(cursor, phrases);
  if (named === undefined) return undefined;
  const end = cursor.index + named.length;
  const isWhole = end === cursor.tokens.length || (named.found === 'fields' && isTableOnly(cursor, end));
  return isWhole ? { operation: named.found } : undefined;
}

function isTableOnly(cursor: Cursor, index: number): boolean {
  const isOf = ['of', 'for', 'in', 'with'].includes(cursor.tokens[index]?.low ?? '');
  return afterTable(cursor, isOf ? index + 1 : index) === cursor.tokens.length;
}

const phrases = buildPhrases<PlainRequest['operation']>(
  [
    'undo',
    'undo|undo it|undo that|undo this|undo last change|undo the last change|undo my last change|undo last|undo the last one',
  ],
  ['undo', 'revert|revert it|revert that|revert last change|revert the last change|revert my last change'],
  [
    'fields',
    'fields|columns|help|describe|describe fields|describe the fields|explain|structure|schema|the fields|list fields',
  ],
  [
    'fields',
    'list the fields|show fields|show the fields|show columns|list columns|what fields are there|which fields are there',
  ],
  [
    'fields',
    'what can i ask|what can i do|what can i say|what can you do|what fields|which fields|what are the fields',
  ],
  ['next', 'next|more|next page|show more|show me more|continue|further|next ones|the next page|go on'],
  ['previous', 'previous|previous page|back|prev|go back|page back|the previous page|previous ones'],
);
