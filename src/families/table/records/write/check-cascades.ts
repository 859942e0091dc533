import { sql } from 'kysely';
import { optional, type Json, type RunSql } from '../../../../core/index.ts';
import { findExactTable } from '../../schema/inspect/find-table.ts';
import { readLinks, type Link } from '../../schema/inspect/read-links.ts';
import { chunksOf, tablePiece } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText, readKey } from '../key.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import { showKey } from '../show.ts';
import { keysAtOnce } from './rows-at-once.ts';
import { valuesAmong } from './values-among.ts';

/**
 * Finds records that cannot be deleted because PostgreSQL would also delete or change records that the user
 * was not shown. Runs before the deletion, because those records could not be found afterwards.
 */
export async function checkCascades(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const { kind } = context.database;
  const { schema, table } = context.physical;
  const gone = changes.flatMap((change, index) =>
    change.kind === 'delete' ? [{ row: change.before, index }] : [],
  );
  if (kind !== 'postgres' || gone.length === 0) return [];
  const links = await readLinks({ kind, run }, { ...optional('schema', schema), table });
  const faults: ChangeFault[] = [];
  for (const link of links)
    if (link.acts === true) faults.push(...(await checkLink(run, context, gone, link)));
  return faults;
}

interface Gone {
  readonly row: TableRow;
  readonly index: number;
}

async function checkLink(
  run: RunSql,
  context: RecordsContext,
  gone: readonly Gone[],
  link: Link,
): Promise<readonly ChangeFault[]> {
  const { columns, physical } = context;
  const column = columns.find(({ field }) => physical.columnOf(field.name) === link.column);
  const needed = column && (await neededValues(run, context, gone, column, link));
  const valueOf = (row: TableRow): Json => (column === undefined ? null : (row[column.field.name] ?? null));
  return gone
    .filter(({ row }) => needed === undefined || needed.has(keyText([valueOf(row)])))
    .map(({ row, index }) => ({
      index,
      message: `The record ${showKey(context, keyOf(context, row))} cannot be deleted because ${link.otherTable} refers to it.`,
    }));
}

/** Returns the key values that remaining rows still refer to, or undefined if the rows cannot be searched. */
async function neededValues(
  run: RunSql,
  context: RecordsContext,
  gone: readonly Gone[],
  column: RecordColumn,
  { otherTable, otherColumn = '' }: Link,
): Promise<ReadonlySet<string> | undefined> {
  const other = await findExactTable({ kind: context.database.kind, run }, otherTable);
  if (other === undefined) return undefined;
  const values = gone.map(({ row }) => row[column.field.name] ?? null);
  const target = { from: tablePiece(other), column: sql.id(otherColumn) };
  const isOwn = other.schema === context.physical.schema && other.table === context.physical.table;
  if (!isOwn) return valuesAmong(run, context, target, column, values);
  const going = new Set(gone.map(({ row }) => keyText(keyOf(context, row))));
  const names = sql.join(context.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
  const needed = new Set<string>();
  for (const part of chunksOf(values, keysAtOnce)) {
    const list = sql.join(part.map(column.toSql));
    const rows = await perform(
      run,
      context,
      sql`select ${names}, ${target.column} as value from ${target.from} where ${target.column} in (${list})`,
    );
    for (const row of rows)
      if (!going.has(keyText(readKey(context, row))))
        needed.add(keyText([column.fromSql(row['value'] ?? null)]));
  }
  return needed;
}
