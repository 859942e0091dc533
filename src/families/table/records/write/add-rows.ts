import { sql } from 'kysely';
import type { RunSql, SqlRow, SqlStatement } from '../../../../core/index.ts';
import { chunksOf, sequencePiece } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText } from '../key.ts';
import { perform, readRow, type RecordsContext } from '../records-context.ts';
import { rowsAtOnce } from './rows-at-once.ts';

/**
 * Adds records and returns them as stored. Writes all fields if `isWhole` is set, otherwise only fields that
 * have a value.
 */
export async function addRows(
  run: RunSql,
  context: RecordsContext,
  rows: readonly TableRow[],
  isWhole: boolean,
): Promise<readonly TableRow[]> {
  const isNumbered = (row: TableRow): boolean => keyOf(context, row).includes(null);
  const keyed = rows.filter((row) => !isNumbered(row));
  const unkeyed = rows.filter(isNumbered);
  const withKeys = inGivenOrder(context, keyed, await insert(run, context, keyed, isWhole));
  if (keyed.length > 0) await raiseNumbers(run, context);
  const withNumbers = inOrderOfNumbers(context, await insert(run, context, unkeyed, isWhole));
  const left = [withKeys.values(), withNumbers.values()] as const;
  return rows.map((row) => left[isNumbered(row) ? 1 : 0].next().value).filter((row) => row !== undefined);
}

async function insert(
  run: RunSql,
  context: RecordsContext,
  rows: readonly TableRow[],
  isWhole: boolean,
): Promise<readonly TableRow[]> {
  if (rows.length === 0) return [];
  const columns = writtenColumns(context, rows, isWhole);
  const size = rowsAtOnce(columns.length);
  const statements = new Map<number, string>();
  const added: TableRow[] = [];
  for (const part of chunksOf(rows, size)) {
    const text = statements.get(part.length) ?? compileInsert(context, columns, part.length).sql;
    statements.set(part.length, text);
    const parameters = part.flatMap((row) =>
      columns.map(({ field, toSql }) => toSql(row[field.name] ?? null)),
    );
    const raw: readonly SqlRow[] = await run({ sql: text, parameters });
    for (const row of raw) added.push(readRow(context, row));
  }
  return added;
}

/**
 * Returns the columns to write. Omits a column without a value in any record, because the database may have a
 * default for it.
 */
function writtenColumns(
  { columns }: RecordsContext,
  rows: readonly TableRow[],
  isWhole: boolean,
): readonly RecordColumn[] {
  return columns.filter(({ field, storage }) => {
    if (storage.isGenerated === true) return false;
    const hasValue = rows.some((row) => (row[field.name] ?? null) !== null);
    return hasValue || (isWhole && field.key === undefined);
  });
}

/** Compiles an insert statement. The values are bound later, row by row and column by column. */
function compileInsert(
  context: RecordsContext,
  columns: readonly RecordColumn[],
  rows: number,
): SqlStatement {
  const { dialect, key, from, selection } = context;
  const nothing = dialect.kind === 'sqlite' ? sql`null` : sql`default`;
  const written = columns.length === 0 ? key : columns;
  const names = sql.join(written.map(({ name }) => name));
  const row = columns.length === 0 ? nothing : sql.join(columns.map(() => null));
  const values = sql.join(Array.from({ length: rows }, () => sql`(${row})`));
  return dialect.compile(sql`insert into ${from} (${names}) values ${values} returning ${selection}`);
}

/**
 * Restores the order in which the records were given, because databases can return added records in any
 * order.
 */
function inGivenOrder(
  context: RecordsContext,
  given: readonly TableRow[],
  added: readonly TableRow[],
): readonly TableRow[] {
  const byKey = new Map(added.map((row) => [keyText(keyOf(context, row)), row]));
  const found = given
    .map((row) => byKey.get(keyText(keyOf(context, row))))
    .filter((row) => row !== undefined);
  // The lookup does not find keys that the database stores in a different form.
  return found.length === given.length ? found : added;
}

/** Sorts added records by their generated numbers, which increase in the order of insertion. */
function inOrderOfNumbers({ key }: RecordsContext, added: readonly TableRow[]): readonly TableRow[] {
  const name = key[0]?.field.name ?? '';
  return added.toSorted((one, other) => Number(one[name]) - Number(other[name]));
}

/**
 * Makes PostgreSQL continue numbering above any keys that were set explicitly. SQLite does this
 * automatically.
 */
async function raiseNumbers(run: RunSql, context: RecordsContext): Promise<void> {
  const { dialect, physical, key, from } = context;
  const [column] = key;
  if (dialect.kind === 'sqlite' || key.length !== 1 || column?.field.key !== 'auto-increment') return;
  const sequence = sql`${sequencePiece(physical, physical.columnOf(column.field.name))}::regclass`;
  await perform(
    run,
    context,
    sql`select setval(numbers.sequence, numbers.greatest)
      from (select ${sequence} as sequence, (select max(${column.name}) from ${from}) as greatest) numbers
      where numbers.greatest > coalesce(pg_sequence_last_value(numbers.sequence), 0)`,
  );
}
