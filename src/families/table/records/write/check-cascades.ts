import { sql } from 'kysely';
import { optional, type Json, type RunSql } from '../../../../core/index.ts';
import { findExactTable } from '../../schema/inspect/find-table.ts';
import { readLinks, type Link } from '../../schema/inspect/read-links.ts';
import { chunksOf } from '../../sql/chunks.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { TableRow } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText, readKey } from '../key.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import { showKey } from '../show.ts';
import { keysAtOnce } from './rows-at-once.ts';
import { valuesAmong } from './values-among.ts';

/**
 * Records that are not deleted, since PostgreSQL would remove or change others along with them, which nobody was shown.
 * It is asked before anything is done: afterwards nothing would tell.
 */
export async function checkCascades(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const { kind } = ground.database;
  const { schema, table } = ground.physical;
  const gone = changes.flatMap((change, index) =>
    change.kind === 'delete' ? [{ row: change.before, index }] : [],
  );
  if (kind !== 'postgres' || gone.length === 0) return [];
  const links = await readLinks({ kind, run }, { ...optional('schema', schema), table });
  const faults: ChangeFault[] = [];
  for (const link of links)
    if (link.acts === true) faults.push(...(await checkLink(run, ground, gone, link)));
  return faults;
}

interface Gone {
  readonly row: TableRow;
  readonly index: number;
}

async function checkLink(
  run: RunSql,
  ground: RecordsGround,
  gone: readonly Gone[],
  link: Link,
): Promise<readonly ChangeFault[]> {
  const { columns, physical } = ground;
  const column = columns.find(({ field }) => physical.columnOf(field.name) === link.column);
  const needed = column && (await neededValues(run, ground, gone, column, link));
  const valueOf = (row: TableRow): Json => (column === undefined ? null : (row[column.field.name] ?? null));
  return gone
    .filter(({ row }) => needed === undefined || needed.has(keyText([valueOf(row)])))
    .map(({ row, index }) => ({
      index,
      message: `The record ${showKey(ground, keyOf(ground, row))} is not deleted, since ${link.otherTable} refers to it.`,
    }));
}

/** The values that rows lead to which do not go themselves; nothing when they cannot be looked up. */
async function neededValues(
  run: RunSql,
  ground: RecordsGround,
  gone: readonly Gone[],
  column: RecordColumn,
  { otherTable, otherColumn = '' }: Link,
): Promise<ReadonlySet<string> | undefined> {
  const other = await findExactTable({ kind: ground.database.kind, run }, otherTable);
  if (other === undefined) return undefined;
  const values = gone.map(({ row }) => row[column.field.name] ?? null);
  const target = { from: tablePiece(other), column: sql.id(otherColumn) };
  const isOwn = other.schema === ground.physical.schema && other.table === ground.physical.table;
  if (!isOwn) return valuesAmong(run, ground, target, column, values);
  const going = new Set(gone.map(({ row }) => keyText(keyOf(ground, row))));
  const names = sql.join(ground.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
  const needed = new Set<string>();
  for (const part of chunksOf(values, keysAtOnce)) {
    const list = sql.join(part.map(column.toSql));
    const rows = await perform(
      run,
      ground,
      sql`select ${names}, ${target.column} as value from ${target.from} where ${target.column} in (${list})`,
    );
    for (const row of rows)
      if (!going.has(keyText(readKey(ground, row))))
        needed.add(keyText([column.fromSql(row['value'] ?? null)]));
  }
  return needed;
}
