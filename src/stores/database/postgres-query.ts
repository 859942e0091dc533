import type { ClientBase, Pool, QueryArrayConfig } from 'pg';
import type { SqlRow, SqlStatement, SqlValue } from '../../core/database.ts';
import { postgresTypes } from './postgres-values.ts';

/** Runs one statement, never several, on this connection or on any; throws what the driver throws. */
export async function queryPostgres(
  connection: Pool | ClientBase,
  { sql, parameters }: SqlStatement,
): Promise<readonly SqlRow[]> {
  const query: QueryArrayConfig & { readonly queryMode: 'extended' } = {
    text: sql,
    values: [...parameters],
    types: postgresTypes,
    rowMode: 'array',
    queryMode: 'extended', // the other one takes several statements in a text
  };
  const { fields, rows } = await connection.query<SqlValue[]>(query);
  return rows.map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] ?? null])));
}
