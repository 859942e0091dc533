import { sql } from 'kysely';
import { asText, type Json, type SqlValue } from '../../../../core/index.ts';
import { cutText } from '../../show/cut-text.ts';
import { runPiece } from '../../sql/run-piece.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { Field } from '../../table.ts';
import type { AssignedColumn } from '../assign-columns.ts';
import { columnFieldType } from '../inspect/column-field-type.ts';
import { fromDatabase } from '../from-database.ts';
import type { Storage } from '../physical.ts';
import { readPlainValue } from '../read-plain-value.ts';
import type { SchemaGround } from '../schema-ground.ts';
import { groupOf } from '../storage.ts';
import { toDatabase } from '../to-database.ts';

/** What becomes of the values of a column when its field is of another type. */
export interface Conversion {
  /** How many records have a value. */
  readonly rows: number;
  /** Each value that there is with what it becomes, both as the database has them; PostgreSQL has them as text. */
  readonly pairs: readonly (readonly [SqlValue, SqlValue])[];
  /** Values that become none, some of them as text. */
  readonly unfit: readonly string[];
  readonly unfitRows: number;
}

const mostShown = 5;

/** Reads all values of a column and converts them to the type of its field; changes nothing. */
export async function readConversion(
  { place, name }: Pick<SchemaGround, 'place' | 'name'>,
  column: AssignedColumn,
  storage: Storage,
): Promise<Conversion> {
  const { kind } = place;
  const plain = sql.id(column.name);
  const value = kind === 'postgres' ? sql`${plain}::text` : plain;
  const found = await runPiece(
    place,
    sql`select ${value} as value, count(*) as total from ${tablePiece(name)}
        where ${plain} is not null group by ${value} order by ${value}`,
  );
  const type = column.recorded?.type ?? (column.existing && columnFieldType(kind, column.existing)) ?? 'text';
  const before = { form: column.recorded?.form ?? (groupOf(type) === 'json' ? 'json' : 'text') } as const;
  const pairs: [SqlValue, SqlValue][] = [];
  const unfit: string[] = [];
  let [rows, unfitRows] = [0, 0];
  for (const { value: raw = null, total } of found) {
    rows += Number(total);
    const converted = convert(column.field, fromDatabase(before, { type }, raw));
    if (converted === undefined) {
      unfitRows += Number(total);
      if (unfit.length < mostShown) unfit.push(cutText(String(raw), 60));
    } else {
      const stored = toDatabase(storage, converted);
      pairs.push([raw, kind === 'postgres' && stored !== null ? String(stored) : stored]);
    }
  }
  return { rows, pairs, unfit, unfitRows };
}

/** Whether nothing changes: all values are of the type already, in the form in which it keeps them. */
export function isUnchanged({ pairs, unfitRows }: Conversion): boolean {
  return unfitRows === 0 && pairs.every(([before, after]) => before === after);
}

/** A value as another type has it; undefined when it has none. */
function convert(field: Field, value: Json): Json | undefined {
  const group = groupOf(field.type);
  if (value === null) return null;
  if (group === 'text') return asText(value);
  const { values: _values, ...bare } = field; // that a value is not in the list is no matter of its type
  const isNumber = group === 'whole' || group === 'decimal' || group === 'json';
  return readPlainValue(bare, typeof value === 'number' && !isNumber ? String(value) : value);
}
