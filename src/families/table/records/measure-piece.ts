import { sql } from 'kysely';
import type { SqlValue } from '../../../core/database.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Measure } from '../request/request.ts';
import type { Column } from './column.ts';
import { isMeasurable, isNumeric } from '../request/comparisons-of.ts';
import type { Dialect, Piece } from './dialect.ts';
import type { Ground } from './ground.ts';

/** What is worked out over records, as a statement says it. */
export interface MeasurePiece {
  readonly piece: Piece;
  /** What its results are sorted by, one after the other; null where there is none. */
  readonly ordered: readonly Piece[];
  read(raw: SqlValue): Json;
}

/** A measure over a field, or over the records themselves. */
export function buildMeasure(ground: Ground, measure: Measure, field: string | undefined): MeasurePiece {
  if (measure === 'count' || field === undefined) return counted;
  const column = ground.columnOf(field);
  if (measure === 'minimum' || measure === 'maximum') return buildExtreme(column, measure);
  if (!isNumeric(column.field.type)) throw notMeasurable(column, measure, 'an integer, bigint or decimal');
  if (measure === 'average')
    return rounded(ground.dialect, sql`avg(${numberOf(ground.dialect, column)})`, column);
  if (column.field.type === 'decimal') {
    return rounded(ground.dialect, sql`sum(${numberOf(ground.dialect, column)})`, column);
  }
  return wholeSum(ground.dialect, column);
}

const counted: MeasurePiece = { piece: sql`count(*)`, ordered: [sql`count(*)`], read: Number };

/** The least or greatest value, whole: nothing of it is rounded. */
function buildExtreme(column: Column, measure: 'minimum' | 'maximum'): MeasurePiece {
  if (!isMeasurable(column.field.type)) throw notMeasurable(column, measure, 'a number, date or time');
  const piece = measure === 'minimum' ? sql`min(${column.ordered})` : sql`max(${column.ordered})`;
  return { piece, ordered: [piece], read: column.fromSql };
}

/** In PostgreSQL exact, so that the order in which numbers are added makes no difference. */
function numberOf({ kind }: Dialect, { name }: Column): Piece {
  return kind === 'sqlite' ? name : sql`${name}::numeric`;
}

/** 15 significant digits: more of them are only traces of how fractions are kept. */
function rounded({ kind }: Dialect, value: Piece, column: Column): MeasurePiece {
  const piece =
    kind === 'sqlite'
      ? sql`printf('%.15g', ${value})`
      : // What is greater than any number of JavaScript is told from the others only when it is read.
        sql`case when abs(${value}) < 1e308 then (${value})::double precision::numeric else ${value} end`;
  const read = (raw: SqlValue): Json => {
    if (raw === null || raw === '') return null;
    const number = Number(Number(raw).toPrecision(15));
    if (!Number.isFinite(number)) throw outOfRange(column);
    return number;
  };
  if (kind === 'postgres') return { piece, ordered: [piece], read };
  const counted = sql`count(${column.name})`;
  return {
    piece: sql`case when ${counted} > 0 then ${piece} end`,
    ordered: [sql`case when ${counted} > 0 then cast(${piece} as real) end`],
    read,
  };
}

const half = 4_294_967_296; // 2 to the power of 32

/** Whole numbers are added exactly. SQLite would stop at 64 bits: there the halves of each number are added apart. */
function wholeSum({ kind }: Dialect, { name }: Column): MeasurePiece {
  if (kind === 'postgres') {
    const piece = sql`sum(${name}::numeric)`;
    return { piece, ordered: [piece], read: (raw) => (raw === null ? null : wholeOf(BigInt(String(raw)))) };
  }
  const high = sql`sum(${name} >> 32)`;
  const low = sql`sum(${name} & 4294967295)`;
  return {
    piece: sql`${high} || ' ' || ${low}`,
    ordered: [sql`${high} + (${low} >> 32)`, sql`${low} & 4294967295`],
    read(raw) {
      if (raw === null) return null;
      const [above = '0', below = '0'] = String(raw).split(' ');
      return wholeOf(BigInt(above) * BigInt(half) + BigInt(below));
    },
  };
}

function wholeOf(sum: bigint): Json {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum.toString();
}

function notMeasurable({ field }: Column, measure: Measure, types: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `There is no ${measure} of "${field.name}", which is ${field.type}.`,
    {
      hint: `Ask for a field that is ${types}.`,
    },
  );
}

function outOfRange({ field }: Column): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The numbers in "${field.name}" come to more than a number can hold.`,
    {
      hint: 'Ask for fewer records, or for the minimum or maximum.',
    },
  );
}
