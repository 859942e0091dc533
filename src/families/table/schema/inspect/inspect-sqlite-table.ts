import { sql } from 'kysely';
import { optional, type SqlRow } from '../../../../core/index.ts';
import { runPiece } from '../../sql.ts';
import type {
  ExistingColumn,
  ExistingIndex,
  ExistingTable,
  SqlExecutor,
  TableName,
} from './existing-table.ts';

/** Reads a SQLite table or view, ignoring case in its name. Returns undefined if it does not exist. */
export async function inspectSqliteTable(
  executor: SqlExecutor,
  { table: name }: TableName,
): Promise<ExistingTable | undefined> {
  const [found] = await runPiece(
    executor,
    sql`select name, type, wr from pragma_table_list where schema = 'main' and name = ${name} collate nocase`,
  );
  if (found === undefined) return undefined;
  const table = String(found['name']);
  const columns = await runPiece(executor, sql`select * from pragma_table_xinfo(${table}) where hidden <> 1`);
  const parts = await runPiece(
    executor,
    sql`select l.name as name, l."unique" as is_unique, l.partial as partial, i.name as part
          from pragma_index_list(${table}) l, pragma_index_xinfo(l.name) i
          where i.key = 1 order by l.seq, i.seqno`,
  );
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    .map((row) => String(row['name']));
  return {
    table,
    isView: found['type'] !== 'table',
    columns: columns.map((row) => columnOf(row, key, found['wr'] === 0)),
    key,
    indexes: indexesOf(parts),
    indexNames: [...new Set(parts.map((row) => String(row['name'])))],
  };
}

function columnOf(row: SqlRow, key: readonly string[], hasRowId: boolean): ExistingColumn {
  const [name, type] = [String(row['name']), String(row['type'] ?? '')];
  const isKey = key.length === 1 && key[0] === name;
  return {
    name,
    type,
    isRequired: row['notnull'] === 1 || (isKey && !hasRowId),
    ...optional('default', typeof row['dflt_value'] === 'string' ? row['dflt_value'] : undefined),
    isNumbered: isKey && hasRowId && type.toUpperCase() === 'INTEGER', // Only keys of this type are numbered.
    isGenerated: row['hidden'] === 2 || row['hidden'] === 3,
  };
}

function indexesOf(parts: readonly SqlRow[]): readonly ExistingIndex[] {
  const byName = Map.groupBy(parts, (row) => String(row['name']));
  return [...byName].flatMap(([name, rows]) => {
    const isWhole = rows.every(({ part, partial }) => part !== null && partial === 0);
    if (!isWhole) return [];
    const columns = rows.map(({ part }) => String(part));
    return [{ name, columns, isUnique: rows[0]?.['is_unique'] === 1 }];
  });
}
