import type { AgentError } from '../../../../core/index.ts';
import type { TableRequest } from '../../request/request.ts';
import { quote } from '../../values/quote.ts';
import { afterTable } from '../conditions/condition-start.ts';
import { accept, isAt, isAtEnd, peek, offsetOf, skip, textBetween, type Cursor } from '../cursor.ts';
import { acceptPhrase, buildPhrases, phraseAt } from '../phrases.ts';
import { readClauses, whereOf } from '../read-clauses.ts';
import { faultAt, notClear } from '../stop.ts';
import { wordsOf } from '../vocabulary.ts';

/** Reads the rest of a request after `import`. */
export function readImport(cursor: Cursor): TableRequest {
  cursor.index = afterTable(cursor, cursor.index);
  skip(cursor, froms);
  const file = readFile(cursor, 'import');
  let format: 'csv' | 'json' | undefined;
  let isPartial = false;
  while (!isAtEnd(cursor)) {
    const given = acceptPhrase(cursor, formats);
    if (given !== undefined && format === undefined) format = given;
    else if (given === undefined && acceptPhrase(cursor, partials) !== undefined) isPartial = true;
    else if (given === undefined && isAt(cursor, cursor.index, intos)) {
      const next = afterTable(cursor, cursor.index + 1);
      if (next === cursor.index + 1) throw stray(cursor);
      cursor.index = next;
    } else if (given !== undefined || !accept(cursor, fillers)) throw stray(cursor);
  }
  return {
    operation: 'import',
    file,
    ...(format === undefined ? {} : { format }),
    ...(isPartial ? { partial: true as const } : {}),
  };
}

const froms = wordsOf('from the file data of');
const intos = wordsOf('into to in');
const fillers = wordsOf('and , please');

/** Reads the rest of a request after `export`. */
export function readExport(cursor: Cursor): TableRequest {
  const isEnd = (index: number): boolean => isFileStart(cursor, index);
  cursor.isStop = isEnd;
  const clauses = readClauses(cursor, isEnd);
  let format = acceptPhrase(cursor, formats);
  if (!accept(cursor, tos)) {
    throw faultAt(
      offsetOf(cursor, cursor.index),
      'The file to export to is missing.',
      'For example: export to records.csv.',
    );
  }
  skip(cursor, files);
  const file = readFile(cursor, 'export');
  format ??= acceptPhrase(cursor, formats);
  if (!isAtEnd(cursor)) throw stray(cursor);
  const { tail, by, columns } = clauses;
  const window = tail.positions.get('window') ?? tail.positions.get('offset');
  if (window !== undefined)
    throw faultAt(
      window,
      'An export always contains all records that match.',
      'Use a condition instead of a number.',
    );
  const sort = tail.sort ?? (by === undefined ? undefined : [{ field: by.name, direction: 'up' as const }]);
  return {
    operation: 'export',
    file,
    ...(format === undefined ? {} : { format }),
    ...whereOf(clauses),
    ...(columns.length === 0 ? {} : { fields: columns.map(({ name }) => name) }),
    ...(sort === undefined ? {} : { sort }),
  };
}

const tos = wordsOf('to into in as');
const files = wordsOf('the a file');

function isFileStart(cursor: Cursor, index: number): boolean {
  if (phraseAt(cursor, formats, index) !== undefined) return true;
  if (!isAt(cursor, index, tos)) return false;
  let next = index + 1;
  while (isAt(cursor, next, files)) next++;
  const token = cursor.tokens[next];
  if (token === undefined) return isAt(cursor, index, surely);
  return token.kind === 'quoted' ? isAt(cursor, index, surely) : /[^.]\.[a-z]{2,5}$|\//i.test(token.text);
}

const surely = wordsOf('to into');

const formats = buildPhrases<'csv' | 'json'>(
  ['csv', 'as csv|as a csv file|as csv file'],
  ['json', 'as json|as a json file|as json file'],
);

const verbs = ['skipping', 'skip', 'ignoring', 'ignore', 'without', 'leaving out', 'leave out'];
const faulties = ['faulty', 'bad', 'invalid', 'wrong', 'broken'];
const rows = ['rows', 'records', 'lines', 'ones', 'entries'];
const partials = buildPhrases<true>([
  true,
  verbs
    .flatMap((verb) => faulties.flatMap((faulty) => rows.map((row) => `${verb} ${faulty} ${row}`)))
    .join('|'),
]);

/** Reads a file name, which is quoted or ends at the next space or comma. */
function readFile(cursor: Cursor, verb: string): string {
  const token = peek(cursor);
  const at = offsetOf(cursor, cursor.index);
  const hint = `For example: ${verb} ${verb === 'import' ? 'from' : 'to'} records.csv.`;
  if (token === undefined || token.text === '')
    throw faultAt(at, `The file to ${verb} ${verb === 'import' ? 'from' : 'to'} is missing.`, hint);
  if (token.kind === 'quoted') {
    cursor.index++;
    return token.text;
  }
  let end = cursor.index + 1;
  while (
    cursor.tokens[end]?.start === cursor.tokens[end - 1]?.end &&
    cursor.tokens[end]?.kind !== 'quoted' &&
    cursor.tokens[end]?.low !== ','
  )
    end++;
  const file = textBetween(cursor, cursor.index, end);
  if (!/[^.]\.\w+$|\//.test(file)) throw faultAt(at, `${quote(file)} is not a file name.`, hint);
  cursor.index = end;
  return file;
}

function stray(cursor: Cursor): AgentError {
  return notClear(peek(cursor)?.text ?? '');
}
