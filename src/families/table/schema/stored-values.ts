import { sql } from 'kysely';
import { asText, cutText, type Json, type SqlValue } from '../../../core/index.ts';
import { columnKind, groupOf, type Storage } from '../../../engines/sql/column-types.ts';
import { runPiece, tablePiece } from '../../../engines/sql/pieces.ts';
import { fromDatabase, toDatabase } from '../../../engines/sql/stored-values.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { readValue } from '../read-value.ts';
import type { Field } from '../table.ts';
import type { AssignedColumn, SchemaContext } from './schema-context.ts';

const clocks: readonly LocalClock[] = [Date.UTC(2001, 1, 14), Date.UTC(2024, 8, 3)].map((now) => ({
  now,
  zone: 'UTC',
}));

/** Converts a value to its field's type. Returns undefined if it is invalid or depends on the time. */
export function readPlainValue(field: Field, given: Json): Json | undefined {
  const readings = clocks.map((clock) => readValue(field, given, clock));
  const [first] = readings;
  if (first === undefined || 'fault' in first) return undefined;
  return new Set(readings.map((reading) => JSON.stringify(reading))).size === 1 ? first.value : undefined;
}

/** The result of converting a column's values to another type. */
export interface Conversion {
  /** The number of records that have a value. */
  readonly rows: number;
  /**
   * Each distinct value paired with its converted value, both as stored in the database. In PostgreSQL,
   * values are text.
   */
  readonly pairs: readonly (readonly [SqlValue, SqlValue])[];
  /** Some of the values that cannot be converted, as text. */
  readonly unfit: readonly string[];
  readonly unfitRows: number;
  /** Whether all values are already stored in the type's form, so that no conversion is needed. */
  readonly isUnchanged: boolean;
}

const maxShown = 5;

/** Reads all values in a column and converts them to its field's type, without changing the database. */
export async function readConversion(
  { executor, name }: Pick<SchemaContext, 'executor' | 'name'>,
  { field, name: column, existing, recorded }: AssignedColumn,
  storage: Storage,
): Promise<Conversion> {
  const isPostgres = executor.kind === 'postgres';
  const plain = sql.id(column);
  const value = isPostgres ? sql`${plain}::text` : plain;
  const found = await runPiece(
    executor,
    sql`select ${value} as value, count(*) as total from ${tablePiece(name)}
        where ${plain} is not null group by ${value} order by ${value}`,
  );
  const type = recorded?.type ?? (existing && columnKind(executor.kind, existing)) ?? 'text';
  const before = { form: recorded?.form ?? (groupOf(type) === 'json' ? 'json' : 'text') } as const;
  const pairs: [SqlValue, SqlValue][] = [];
  const unfit: string[] = [];
  let [rows, unfitRows] = [0, 0];
  for (const { value: raw = null, total } of found) {
    rows += Number(total);
    const converted = convert(field, fromDatabase(before, { type }, raw));
    if (converted === undefined) {
      unfitRows += Number(total);
      if (unfit.length < maxShown) unfit.push(cutText(String(raw), 60));
    } else {
      const stored = toDatabase(storage, converted);
      pairs.push([raw, isPostgres && stored !== null ? String(stored) : stored]);
    }
  }
  const isUnchanged = unfitRows === 0 && pairs.every(([from, to]) => from === to);
  return { rows, pairs, unfit, unfitRows, isUnchanged };
}

/** Converts a value to another type. Returns undefined if that is not possible. */
function convert(field: Field, value: Json): Json | undefined {
  const group = groupOf(field.type);
  if (value === null) return null;
  if (group === 'text') return asText(value);
  // The list of allowed values does not affect the conversion.
  const { values: _values, ...bare } = field;
  const isNumber = group === 'whole' || group === 'decimal' || group === 'json';
  return readPlainValue(bare, typeof value === 'number' && !isNumber ? String(value) : value);
}
