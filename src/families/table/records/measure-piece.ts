import { sql } from 'kysely';
import { AgentError, type Json, type SqlValue } from '../../../core/index.ts';
import { isMeasurable, isNumeric } from '../request/comparisons-of.ts';
import type { Measure } from '../request/request.ts';
import type { TableDialect, Piece } from '../sql/dialect.ts';
import { wholeNumber } from '../values/whole-number.ts';
import type { RecordColumn } from './column.ts';
import type { RecordsGround } from './records-ground.ts';

/**
 * What is worked out over records, as a statement says it in two turns: parts over records that an index may bring
 * together, then the whole over these parts, `first` and `second`.
 */
interface MeasurePiece {
  readonly first: Piece;
  readonly second?: Piece;
  readonly whole: Piece;
  /** What its results are sorted by, one after the other; null where there is none. */
  readonly ordered: readonly Piece[];
  read(raw: SqlValue): Json;
}

/** A measure over a field, or over the records themselves. */
export function buildMeasure(
  { dialect, columnOf }: RecordsGround,
  measure: Measure,
  field: string | undefined,
): MeasurePiece {
  if (measure === 'count' || field === undefined) return counted;
  const column = columnOf(field);
  const { type } = column.field;
  if (measure === 'minimum' || measure === 'maximum') {
    if (!isMeasurable(type)) throw notMeasurable(column, measure, 'a number, date or time');
    return buildExtreme(column, measure);
  }
  if (!isNumeric(type)) throw notMeasurable(column, measure, 'an integer, bigint or decimal');
  return measure === 'sum' && type !== 'decimal'
    ? buildWholeSum(dialect, column)
    : buildRounded(dialect, column, measure);
}

const counted: MeasurePiece = {
  first: sql`count(*)`,
  whole: sql`sum(first)`,
  ordered: [sql`sum(first)`],
  read: Number,
};

/** The least or greatest value, whole: nothing of it is rounded. */
function buildExtreme({ ordered, fromSql }: RecordColumn, measure: 'minimum' | 'maximum'): MeasurePiece {
  const pick = (value: Piece): Piece => (measure === 'minimum' ? sql`min(${value})` : sql`max(${value})`);
  const whole = pick(sql`first`);
  return { first: pick(ordered), whole, ordered: [whole], read: fromSql };
}

/**
 * A sum or an average to 15 significant digits: more of them are only traces of how fractions are kept. PostgreSQL adds
 * exactly, SQLite makes up for what it loses, so the order of the records makes no difference.
 */
function buildRounded(
  { kind }: TableDialect,
  column: RecordColumn,
  measure: 'sum' | 'average',
): MeasurePiece {
  const { name } = column;
  const second = sql`count(${name})`;
  const value = measure === 'sum' ? sql`sum(first)` : sql`(sum(first) / nullif(sum(second), 0))`;
  const read = (raw: SqlValue): Json => {
    if (raw === null) return null;
    const number = Number(Number(raw).toPrecision(15));
    if (!Number.isFinite(number)) throw outOfRange(column);
    return number;
  };
  if (kind === 'postgres') {
    // What is greater than any number of JavaScript is told from the others when it is read.
    const isSmall = sql`abs(${value}) < 1e308`;
    // As text it has all its digits: PostgreSQL would round a number halfway between two to the even digit, JavaScript and SQLite do not.
    const whole = sql`case when ${isSmall} then (${value})::double precision::text else (${value})::text end`;
    const rounded = sql`case when ${isSmall} then (${value})::double precision::numeric else ${value} end`;
    return { first: sql`sum(${name}::numeric)`, second, whole, ordered: [rounded], read };
  }
  const digits = sql`printf('%.15g', ${value})`;
  return {
    first: sql`total(${name})`,
    second,
    read,
    whole: sql`case when sum(second) > 0 then ${digits} end`,
    ordered: [sql`case when sum(second) > 0 then cast(${digits} as real) end`],
  };
}

const half = 2n ** 32n;

/** Whole numbers are added exactly. SQLite would stop at 64 bits: there the halves of each number are added apart. */
function buildWholeSum({ kind }: TableDialect, { name }: RecordColumn): MeasurePiece {
  if (kind === 'postgres') {
    return {
      first: sql`sum(${name}::numeric)`,
      whole: sql`sum(first)`,
      ordered: [sql`sum(first)`],
      read: (raw) => (raw === null ? null : wholeNumber(BigInt(String(raw)))),
    };
  }
  return {
    first: sql`sum(${name} >> 32)`,
    second: sql`sum(${name} & 4294967295)`,
    whole: sql`sum(first) || ' ' || sum(second)`,
    ordered: [sql`sum(first) + (sum(second) >> 32)`, sql`sum(second) & 4294967295`],
    read(raw) {
      if (raw === null) return null;
      const [above = '0', below = '0'] = String(raw).split(' ');
      return wholeNumber(BigInt(above) * half + BigInt(below));
    },
  };
}

function notMeasurable({ field }: RecordColumn, measure: Measure, types: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `There is no ${measure} of "${field.name}", which is ${field.type}.`,
    { hint: `Ask for a field that is ${types}.` },
  );
}

function outOfRange({ field }: RecordColumn): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The numbers in "${field.name}" come to more than a number can hold.`,
    { hint: 'Ask for fewer records, or for the minimum or maximum.' },
  );
}
