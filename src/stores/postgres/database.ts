import pg from 'pg';
import type { Database, SqlValue } from '../../core/index.ts';
import { buildRefusal, type ToRefusal } from '../sql/connection.ts';
import { createSqlDatabase } from '../sql/database.ts';
import { codeOf, openPostgres } from './connection.ts';

/** Connects to a PostgreSQL database for records. */
export async function openPostgresDatabase(url: string): Promise<Database> {
  const connection = await openPostgres(url, {
    use: 'database',
    max: 5,
    onConnect: (client) => client.query(settings),
    types: { getTypeParser: (type: number) => forms.get(type) ?? asText },
    toRefusal,
  });
  return createSqlDatabase(connection);
}

// Fixes the output formats, because servers can be configured differently.
const settings = "set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'";

type Read = (text: string) => SqlValue;

const { builtins } = pg.types;
const parseBytes = pg.types.getTypeParser(builtins.BYTEA) as (text: string) => Buffer;

/** Parsers, keyed by column type. Values of other types remain the text that PostgreSQL returns. */
const forms: ReadonlyMap<number, Read> = new Map<number, Read>([
  [builtins.INT2, BigInt],
  [builtins.INT4, BigInt],
  [builtins.INT8, BigInt],
  [builtins.OID, BigInt],
  [builtins.FLOAT4, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text) => text === 't'],
  [builtins.BYTEA, (text) => new Uint8Array(parseBytes(text))],
]);

const asText: Read = (text) => text;

/** Recognises changes that violate a constraint, and values that no table accepts. */
const toRefusal: ToRefusal = (thrown, named) => {
  const code = codeOf(thrown);
  if (code === '23505') return buildRefusal('unique', thrown, named);
  return otherCodes.test(code) ? buildRefusal('other', thrown, named) : undefined;
};

// The error codes for invalid values, violated constraints and view checks, index limits and trigger
// exceptions.
const otherCodes = /^(?:22|23|44|54)...$|^P0001$/;
