import { sql } from 'kysely';
import { optional, type SqlRow } from '../../core/index.ts';
import type { DatabaseCatalog, ExistingColumn, ExistingIndex } from './existing-table.ts';
import { runPiece } from './pieces.ts';

/** Reads the tables of a SQLite database. Ignores case in names. */
export const sqliteCatalog: DatabaseCatalog = {
  tables: sql`
    select name from sqlite_master
    where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name`,

  exists: (table) => sql`select 1 as found from sqlite_master where name = ${table}`,

  async inspect(executor, { table: name }) {
    const [found] = await runPiece(
      executor,
      sql`select name, type <> 'table' as is_view, wr from pragma_table_list where schema = 'main' and name = ${name} collate nocase`,
    );
    if (found === undefined) return undefined;
    const table = String(found['name']);
    const columns = await runPiece(
      executor,
      sql`select * from pragma_table_xinfo(${table}) where hidden <> 1`,
    );
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
      isView: found['is_view'] === 1,
      columns: columns.map((row) => columnOf(row, key, found['wr'] === 0)),
      key,
      indexes: indexesOf(parts),
      indexNames: [...new Set(parts.map((row) => String(row['name'])))],
    };
  },

  links: ({ table }) => sql`
    select 'out' as direction, f."from" as own, f."table" as other, f."to" as target, 0 as acts
    from pragma_foreign_key_list(${table}) f
    where (select count(*) from pragma_foreign_key_list(${table}) s where s.id = f.id) = 1
    union all
    select 'in', f."to", m.name, f."from", 0
    from sqlite_master m, pragma_foreign_key_list(m.name) f
    where m.type = 'table' and f."table" = ${table} collate nocase
      and (select count(*) from pragma_foreign_key_list(m.name) s where s.id = f.id) = 1
    order by 1 desc, 2, 3`,

  checks: ({ table }) => sql`select sql as text from sqlite_master where name = ${table} and type = 'table'`,
};

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
    const columns = rows.map(({ part }) => String(part));
    return isWhole ? [{ name, columns, isUnique: rows[0]?.['is_unique'] === 1 }] : [];
  });
}
