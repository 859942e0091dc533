import { sql } from 'kysely';
import type { RunSql, SqlRow, SqlStatement } from '../../../../core/index.ts';
import { chunksOf } from '../../sql/chunks.ts';
import { sequencePiece } from '../../sql/table-piece.ts';
import type { TableRow } from '../../table.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText } from '../key.ts';
import { perform, readRow, type RecordsGround } from '../records-ground.ts';
import { rowsAtOnce } from './rows-at-once.ts';

/** Adds records, with `isWhole` all their fields and else those that have values, and gives them as they are then. */
export async function addRows(
  run: RunSql,
  ground: RecordsGround,
  rows: readonly TableRow[],
  isWhole: boolean,
): Promise<readonly TableRow[]> {
  const isNumbered = (row: TableRow): boolean => keyOf(ground, row).includes(null);
  const keyed = rows.filter((row) => !isNumbered(row));
  const made = rows.filter(isNumbered);
  const withKeys = inGivenOrder(ground, keyed, await insert(run, ground, keyed, isWhole));
  if (keyed.length > 0) await raiseNumbers(run, ground);
  const withNumbers = inOrderOfNumbers(ground, await insert(run, ground, made, isWhole));
  const left = [withKeys.values(), withNumbers.values()] as const;
  return rows.map((row) => left[isNumbered(row) ? 1 : 0].next().value).filter((row) => row !== undefined);
}

async function insert(
  run: RunSql,
  ground: RecordsGround,
  rows: readonly TableRow[],
  isWhole: boolean,
): Promise<readonly TableRow[]> {
  if (rows.length === 0) return [];
  const columns = writtenColumns(ground, rows, isWhole);
  const size = rowsAtOnce(columns.length);
  const statements = new Map<number, string>();
  const added: TableRow[] = [];
  for (const part of chunksOf(rows, size)) {
    const text = statements.get(part.length) ?? compileInsert(ground, columns, part.length).sql;
    statements.set(part.length, text);
    const parameters = part.flatMap((row) =>
      columns.map(({ field, toSql }) => toSql(row[field.name] ?? null)),
    );
    const raw: readonly SqlRow[] = await run({ sql: text, parameters });
    for (const row of raw) added.push(readRow(ground, row));
  }
  return added;
}

/** A column without a value in any record is left to the database, which may have a default for it. */
function writtenColumns(
  { columns }: RecordsGround,
  rows: readonly TableRow[],
  isWhole: boolean,
): readonly RecordColumn[] {
  return columns.filter(({ field, storage }) => {
    if (storage.isGenerated === true) return false;
    const hasValue = rows.some((row) => (row[field.name] ?? null) !== null);
    return hasValue || (isWhole && field.key === undefined);
  });
}

/** The values are put in later, row by row and column by column. */
function compileInsert(ground: RecordsGround, columns: readonly RecordColumn[], rows: number): SqlStatement {
  const { dialect, key, from, selection } = ground;
  const nothing = dialect.kind === 'sqlite' ? sql`null` : sql`default`;
  const written = columns.length === 0 ? key : columns;
  const names = sql.join(written.map(({ name }) => name));
  const row = columns.length === 0 ? nothing : sql.join(columns.map(() => null));
  const values = sql.join(Array.from({ length: rows }, () => sql`(${row})`));
  return dialect.compile(sql`insert into ${from} (${names}) values ${values} returning ${selection}`);
}

/** Databases may give what they added in any order. */
function inGivenOrder(
  ground: RecordsGround,
  given: readonly TableRow[],
  added: readonly TableRow[],
): readonly TableRow[] {
  const byKey = new Map(added.map((row) => [keyText(keyOf(ground, row)), row]));
  const found = given.map((row) => byKey.get(keyText(keyOf(ground, row)))).filter((row) => row !== undefined);
  return found.length === given.length ? found : added; // a key that the column keeps in another form
}

/** Numbers are given out in the order of the records. */
function inOrderOfNumbers({ key }: RecordsGround, added: readonly TableRow[]): readonly TableRow[] {
  const name = key[0]?.field.name ?? '';
  return added.toSorted((one, other) => Number(one[name]) - Number(other[name]));
}

/** After keys were given by hand: the numbers that PostgreSQL gives out next are greater. SQLite sees to that itself. */
async function raiseNumbers(run: RunSql, ground: RecordsGround): Promise<void> {
  const { dialect, physical, key, from } = ground;
  const [column] = key;
  if (dialect.kind === 'sqlite' || key.length !== 1 || column?.field.key !== 'auto-increment') return;
  const sequence = sql`${sequencePiece(physical, physical.columnOf(column.field.name))}::regclass`;
  await perform(
    run,
    ground,
    sql`select setval(numbers.sequence, numbers.greatest)
      from (select ${sequence} as sequence, (select max(${column.name}) from ${from}) as greatest) numbers
      where numbers.greatest > coalesce(pg_sequence_last_value(numbers.sequence), 0)`,
  );
}
