import { sql } from 'kysely';
import { AgentError, type Json, type SqlValue } from '../../../core/index.ts';
import { runPiece, type Piece } from '../../../engines/sql/pieces.ts';
import { turns, whereOf, windowOf } from '../../../engines/sql/where.ts';
import { wholeNumber } from '../../../engines/values/numbers.ts';
import { isMeasurable, isNumeric } from '../../../engines/values/types.ts';
import type { GroupRequest, Measure, MeasureRequest } from '../request/request.ts';
import type { RecordColumn, RecordsContext } from './records-context.ts';

/** Returns the sum, average, minimum or maximum of a field over the matching records. */
export async function measureRecords(
  context: RecordsContext,
  { operation, field, where }: MeasureRequest,
): Promise<Json> {
  const { first, second = sql`null`, whole, read } = buildMeasure(context, operation, field);
  const parts = sql`select ${first} as first, ${second} as second from ${context.from}${whereOf(context, where)}`;
  const [row] = await runPiece(context, sql`select ${whole} as result from (${parts}) parts`);
  return read(row?.['result'] ?? null);
}

/** The results of a measure by the values of a field. */
export interface RecordGroups {
  readonly groups: readonly { readonly value: Json; readonly result: Json }[];
  /** The number of groups, ignoring the limit. */
  readonly total: number;
}

/**
 * Computes a result for each distinct value of a field. Values that differ only in case form one group,
 * labelled with the spelling that sorts first by bytes. Groups with equal results are ordered by value.
 * Records are first grouped by stored value, which can use an index, and then by meaning, which treats empty
 * text as missing.
 */
export async function groupRecords(
  context: RecordsContext,
  { by, measure, field, where, direction = 'down', limit }: GroupRequest,
): Promise<RecordGroups> {
  const column = context.columnOf(by);
  const { first, second = sql`null`, whole, ordered, read } = buildMeasure(context, measure, field);
  const value = column.isFolded ? sql`min(${context.dialect.exact(column.plain)})` : column.plain;
  const parts = sql`select ${value} as value, ${first} as first, ${second} as second
    from ${context.from}${whereOf(context, where)} group by ${column.equal}`;

  const meant = column.order(sql`value`);
  const shown = column.isFolded ? sql`min(${context.dialect.exact(sql`value`)})` : meant;
  const orders = [
    ...ordered.map((piece) => sql`${piece} ${turns[direction]} nulls last`),
    sql`${meant} asc nulls last`,
  ];
  const total = limit === undefined ? sql`` : sql`, count(*) over () as total`;
  const rows = await runPiece(
    context,
    sql`select ${shown} as shown, ${whole} as result${total} from (${parts}) parts
      group by ${meant} order by ${sql.join(orders)}${windowOf(context, limit)}`,
  );
  return {
    groups: rows.map((row) => ({
      value: column.fromSql(row['shown'] ?? null),
      result: read(row['result'] ?? null),
    })),
    total: limit === undefined ? rows.length : Number(rows[0]?.['total'] ?? 0),
  };
}

/**
 * A measure over records, computed in two steps. The first step computes `first` and `second` for each group,
 * possibly using an index. The second step combines them into the result.
 */
interface MeasurePiece {
  readonly first: Piece;
  readonly second?: Piece;
  readonly whole: Piece;
  /** The expressions by which results are sorted, in order. They are null if there is no result. */
  readonly ordered: readonly Piece[];
  read(raw: SqlValue): Json;
}

/** Builds a measure over a field or over whole records. */
function buildMeasure(context: RecordsContext, measure: Measure, field: string | undefined): MeasurePiece {
  if (measure === 'count' || field === undefined) return counted;
  const column = context.columnOf(field);
  const { type } = column.field;
  if (measure === 'minimum' || measure === 'maximum') {
    if (!isMeasurable(type)) throw notMeasurable(column, measure, 'a number, date or time');
    const pick = (value: Piece): Piece => (measure === 'minimum' ? sql`min(${value})` : sql`max(${value})`);
    const whole = pick(sql`first`);
    return { first: pick(column.ordered), whole, ordered: [whole], read: column.fromSql };
  }
  if (!isNumeric(type)) throw notMeasurable(column, measure, 'an integer, bigint or decimal');
  return measure === 'sum' && type !== 'decimal'
    ? buildWholeSum(context, column)
    : buildRounded(context, column, measure);
}

const sum = sql`sum(first)`;
const counted: MeasurePiece = { first: sql`count(*)`, whole: sum, ordered: [sum], read: Number };

/**
 * Builds a sum or average, rounded to 15 significant digits because further digits are only rounding noise.
 * PostgreSQL adds exactly and SQLite compensates for rounding, so the order of the records makes no
 * difference.
 */
function buildRounded(
  { kind }: RecordsContext,
  column: RecordColumn,
  measure: 'sum' | 'average',
): MeasurePiece {
  const { name } = column;
  const second = sql`count(${name})`;
  const value = measure === 'sum' ? sum : sql`(sum(first) / nullif(sum(second), 0))`;
  const read = (raw: SqlValue): Json => {
    if (raw === null) return null;
    const number = Number(Number(raw).toPrecision(15));
    if (!Number.isFinite(number)) throw outOfRange(column);
    return number;
  };
  if (kind === 'postgres') {
    // Numbers that are too large for JavaScript are detected when the result is read.
    const isSmall = sql`abs(${value}) < 1e308`;
    // Converting to text keeps all digits. PostgreSQL rounds ties to the even digit, unlike JavaScript and
    // SQLite.
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

/**
 * Adds integers exactly. SQLite overflows at 64 bits, so it adds the two halves of each number separately.
 */
function buildWholeSum({ kind }: RecordsContext, { name }: RecordColumn): MeasurePiece {
  if (kind === 'postgres') {
    return {
      first: sql`sum(${name}::numeric)`,
      whole: sum,
      ordered: [sum],
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
    `The ${measure} of "${field.name}" cannot be computed because its type is ${field.type}.`,
    { hint: `Choose a field that is ${types}.` },
  );
}

function outOfRange({ field }: RecordColumn): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The numbers in "${field.name}" add up to a total that is too large.`,
    { hint: 'Use fewer records, or ask for the minimum or maximum.' },
  );
}
