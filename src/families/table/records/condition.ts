import { sql } from 'kysely';
import { AgentError, asText, type Json } from '../../../core/index.ts';
import { foldText } from '../request/compare-values.ts';
import type { Condition } from '../request/request.ts';
import type { Piece } from '../sql.ts';
import type { RecordColumn } from './column.ts';
import type { RecordsContext } from './records-context.ts';

/**
 * Builds a ` where …` clause, or empty SQL if there is no condition. Each record matches either a condition
 * or its negation, never both. `among` is an additional restriction.
 */
export function whereOf(context: RecordsContext, condition: Condition | undefined, among?: Piece): Piece {
  if (condition !== undefined && listedIn(condition) > maxListed) throw tooMany(listedIn(condition));
  const fits = condition === undefined ? [] : [buildCondition(context, condition, false)];
  const parts = among === undefined ? fits : [among, ...fits];
  return parts.length === 0 ? sql`` : sql` where ${sql.join(parts, sql` and `)}`;
}

type Leaf = Extract<Condition, { readonly field: string }>;

/**
 * Builds a condition. Pushes negation down to the individual comparisons, because only they define how
 * missing values are treated.
 */
function buildCondition(context: RecordsContext, condition: Condition, isNegated: boolean): Piece {
  if ('not' in condition) return buildCondition(context, condition.not, !isNegated);
  if ('field' in condition) return buildLeaf(context, condition, isNegated);
  const [parts, isAll] = 'all' in condition ? [condition.all, true] : [condition.any, false];
  const pieces = parts.map((part) => buildCondition(context, part, isNegated));
  const needsAll = isAll !== isNegated;
  if (pieces.length === 0) return needsAll ? sql`1 = 1` : sql`1 = 0`;
  return sql`(${sql.join(pieces, needsAll ? sql` and ` : sql` or `)})`;
}

function buildLeaf(context: RecordsContext, { field, is, value = null }: Leaf, isNegated: boolean): Piece {
  const column = context.columnOf(field);
  const positive = complements.get(is);
  if (positive !== undefined) return buildLeaf(context, { field, is: positive, value }, !isNegated);
  if (is === 'empty') return isNegated ? sql`not ${column.isEmpty}` : column.isEmpty;
  const fits = buildComparison(context, column, is, value);
  if (fits === undefined) return isNegated ? sql`1 = 1` : sql`1 = 0`;
  return isNegated ? sql`(${column.isEmpty} or not (${fits}))` : fits;
}

const complements: ReadonlyMap<Leaf['is'], Leaf['is']> = new Map([
  ['not-equals', 'equals'],
  ['not-in', 'in'],
  ['not-contains', 'contains'],
  ['not-empty', 'empty'],
]);

/** Builds a comparison. Returns undefined if no record can match because the comparison value is missing. */
function buildComparison(
  { dialect }: RecordsContext,
  column: RecordColumn,
  is: Leaf['is'],
  value: Json,
): Piece | undefined {
  if (is === 'in') return among(column, listOf(value));
  if (is === 'between') return between(column, listOf(value));
  if (value === null || value === '') return undefined;
  switch (is) {
    case 'equals':
      return sql`${column.equal} = ${sqlOf(column, value)}`;
    case 'less':
      return sql`${column.ordered} < ${sqlOf(column, value)}`;
    case 'at-most':
      return sql`${column.ordered} <= ${sqlOf(column, value)}`;
    case 'more':
      return sql`${column.ordered} > ${sqlOf(column, value)}`;
    case 'at-least':
      return sql`${column.ordered} >= ${sqlOf(column, value)}`;
    case 'contains':
      return dialect.holds(column.searched, partOf(column, value));
    case 'starts-with':
      return dialect.startsWith(column.searched, partOf(column, value));
    case 'ends-with':
      return dialect.endsWith(column.searched, partOf(column, value));
    default:
      return undefined;
  }
}

// SQLite accepts 32,766 values per statement, and listing records with their total uses each value twice.
const maxListed = 15_000;

function among(column: RecordColumn, values: readonly Json[]): Piece | undefined {
  const real = values.filter((value) => value !== null && value !== '');
  if (real.length === 0) return undefined;
  return sql`${column.equal} in (${sql.join(real.map((value) => sqlOf(column, value)))})`;
}

function between(column: RecordColumn, [from = null, to = null]: readonly Json[]): Piece | undefined {
  if (from === null || to === null) return undefined;
  const { ordered } = column;
  return sql`(${ordered} >= ${sqlOf(column, from)} and ${ordered} <= ${sqlOf(column, to)})`;
}

/** Converts a value to the form in which it is compared with the column. */
function sqlOf(column: RecordColumn, value: Json): unknown {
  const raw = column.toSql(value);
  return column.isFolded && typeof raw === 'string' ? foldText(raw) : raw;
}

function partOf(column: RecordColumn, value: Json): string {
  const text = asText(value);
  return column.isFolded ? foldText(text) : text;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

/** Counts the values that a condition lists. */
function listedIn(condition: Condition): number {
  if ('not' in condition) return listedIn(condition.not);
  if ('field' in condition) return Array.isArray(condition.value) ? condition.value.length : 1;
  const parts = 'all' in condition ? condition.all : condition.any;
  return parts.reduce((sum, part) => sum + listedIn(part), 0);
}

function tooMany(count: number): AgentError {
  const most = maxListed.toLocaleString('en');
  return new AgentError(
    'limit.too-large',
    `The condition lists too many values (${count.toLocaleString('en')}).`,
    {
      hint: `Use at most ${most} values at once.`,
    },
  );
}
