import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { PostgresServer } from '../support/postgres.ts';
import { tree } from '../support/tree.ts';
import type { TableModel } from './model.ts';
import type { Row, Value } from './request.ts';

/** An empty database for tables, which the test reads with its own SQL. */
export interface OpenedTables extends AsyncDisposable {
  readonly location: string;
  /** Returns all records of a table, each with its fields in the model's order. */
  read(table: TableModel): Promise<readonly Row[]>;
}

export function openSqlite(): OpenedTables {
  const folder = tree();
  const location = folder.at('records.db');
  let database: DatabaseSync | undefined;
  return {
    location,
    async read(table) {
      database ??= new DatabaseSync(location, { readOnly: true });
      const rows = database.prepare(`select * from "${table.name}"`).all() as Record<string, unknown>[];
      return rows.map((row) => readRow(table, row));
    },
    async [Symbol.asyncDispose]() {
      database?.close();
      folder[Symbol.dispose]();
    },
  };
}

let schemas = 0;

/** Creates a schema of its own on the server. */
export async function openPostgres(server: PostgresServer): Promise<OpenedTables> {
  const client = new pg.Client(server.url);
  await client.connect();
  const schema = `example_${++schemas}`;
  await client.query(`create schema ${schema}`);
  return {
    location: `${server.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`,
    async read(table) {
      const sql = `select to_jsonb(one) as row from ${schema}."${table.name}" one`;
      const { rows } = await client.query<{ row: Record<string, unknown> }>(sql);
      return rows.map(({ row }) => readRow(table, row));
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Reads a stored record. A column that the model does not know stays in it, so that the test notices it. */
function readRow({ fields }: TableModel, row: Readonly<Record<string, unknown>>): Row {
  const names = new Set([...Object.keys(fields), ...Object.keys(row)]);
  return Object.fromEntries([...names].map((name) => [name, readStored(fields[name], row[name])]));
}

function readStored(type: TableModel['fields'][string] | undefined, stored: unknown): Value {
  if (stored === null || stored === undefined) return null;
  if (type === 'boolean') return stored === true || stored === 1;
  if (type === 'list') return (typeof stored === 'string' ? JSON.parse(stored) : stored) as readonly string[];
  if (type === 'time') return new Date(stored as string).toISOString();
  return stored as Value;
}
