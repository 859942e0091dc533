import { quote } from '../../../core/index.ts';
import type { TableRequest } from '../request/request.ts';
import { fieldsOf, readClauses, whereOf } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { afterTable } from './lookahead.ts';
import { notClear } from './verdict.ts';

/** Reads the rest of a request after `import`. */
export function readImport(cursor: Cursor): TableRequest {
  cursor.index = afterTable(cursor);
  cursor.skip(grammar.importLeads);
  const file = readFile(cursor, 'import', 'from');
  let format: 'csv' | 'json' | undefined;
  let isPartial = false;
  while (!cursor.isAtEnd()) {
    const given = cursor.find(grammar.formats);
    if (given !== undefined && format === undefined) {
      format = cursor.accept(grammar.formats);
    } else if (given === undefined && cursor.accept(grammar.partialImports)) isPartial = true;
    else if (given === undefined && cursor.at(grammar.intos)) {
      const next = afterTable(cursor, cursor.index + 1);
      if (next === cursor.index + 1) throw notClear(cursor.peek()?.text ?? '', undefined);
      cursor.index = next;
    } else if (given !== undefined || !cursor.accept(grammar.importFillers))
      throw notClear(cursor.peek()?.text ?? '', undefined);
  }
  return {
    operation: 'import',
    file,
    ...(format === undefined ? {} : { format }),
    ...(isPartial ? { partial: true } : {}),
  };
}

/** Reads the rest of a request after `export`. */
export function readExport(cursor: Cursor): TableRequest {
  const isEnd = (index: number): boolean => isFileStart(cursor, index);
  const clauses = cursor.until(isEnd, () => readClauses(cursor, isEnd));
  const before = cursor.accept(grammar.formats);
  if (!cursor.accept(grammar.exportLeads))
    throw cursor.fault('The file to export to is missing.', 'For example: export to records.csv.');
  cursor.skip(grammar.fileWords);
  const file = readFile(cursor, 'export', 'to');
  const format = before ?? cursor.accept(grammar.formats);
  if (!cursor.isAtEnd()) throw notClear(cursor.peek()?.text ?? '', undefined);
  const { tail, by, columns } = clauses;
  const window = tail.positions.get('window') ?? tail.positions.get('offset');
  if (window !== undefined) {
    const hint = 'Use a condition instead of a number.';
    throw cursor.fault('An export always contains all records that match.', hint, window);
  }
  const sort = tail.sort ?? (by && [{ field: by.name, direction: 'up' as const }]);
  return {
    operation: 'export',
    file,
    ...(format === undefined ? {} : { format }),
    ...whereOf(clauses),
    ...fieldsOf(columns),
    ...(sort === undefined ? {} : { sort }),
  };
}

function isFileStart(cursor: Cursor, index: number): boolean {
  if (cursor.at(grammar.formats, index)) return true;
  if (!cursor.at(grammar.exportLeads, index)) return false;
  let next = index + 1;
  while (cursor.at(grammar.fileWords, next)) next++;
  const token = cursor.tokens[next];
  if (token === undefined || token.kind === 'quoted') return cursor.at(grammar.sureFileLeads, index);
  return /[^.]\.[a-z]{2,5}$|\//i.test(token.text);
}

/** Reads a file name, which is quoted or ends at the next space or comma. */
function readFile(cursor: Cursor, verb: string, preposition: string): string {
  const token = cursor.peek();
  const hint = `For example: ${verb} ${preposition} records.csv.`;
  if (token === undefined || token.text === '')
    throw cursor.fault(`The file to ${verb} ${preposition} is missing.`, hint);
  const { tokens, index } = cursor;
  let end = index + 1;
  const isInName = (): boolean =>
    token.kind !== 'quoted' &&
    tokens[end]?.start === tokens[end - 1]?.end &&
    tokens[end]?.kind !== 'quoted' &&
    tokens[end]?.low !== ',';
  while (isInName()) end++;
  const file = token.kind === 'quoted' ? token.text : cursor.text(index, end);
  if (token.kind !== 'quoted' && !/[^.]\.\w+$|\//.test(file))
    throw cursor.fault(`${quote(file)} is not a file name.`, hint);
  cursor.index = end;
  return file;
}
