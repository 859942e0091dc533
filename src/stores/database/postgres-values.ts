import pg from 'pg';
import type { SqlValue } from '../../core/database.ts';
import { toWhole } from './whole.ts';

type Read = (text: string) => SqlValue;

const { builtins } = pg.types;
const parseBytes = pg.types.getTypeParser(builtins.BYTEA) as (text: string) => Buffer;
const readBytes: Read = (text) => new Uint8Array(parseBytes(text));
const readWhole: Read = (text) => toWhole(BigInt(text));

const forms: ReadonlyMap<number, Read> = new Map<number, Read>([
  [builtins.INT2, readWhole],
  [builtins.INT4, readWhole],
  [builtins.INT8, readWhole],
  [builtins.OID, readWhole],
  [builtins.FLOAT4, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text) => text === 't'],
  [builtins.BYTEA, readBytes],
]);

/** How the driver reads values: those without a form of their own stay the text that PostgreSQL prints. */
export const postgresTypes = {
  getTypeParser: (type: number): Read => forms.get(type) ?? ((text) => text),
};
