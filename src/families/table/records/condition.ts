import { sql } from 'kysely';
import { AgentError, asText, type Json } from '../../../core/index.ts';
import { foldText } from '../request/compare-values.ts';
import type { Condition } from '../request/request.ts';
import type { Piece } from '../sql/dialect.ts';
import type { RecordColumn } from './column.ts';
import type { RecordsGround } from './records-ground.ts';

/** ` where …`, or nothing; every record either fits a condition or its complement. `among` narrows it further. */
export function whereOf(ground: RecordsGround, condition: Condition | undefined, among?: Piece): Piece {
  if (condition !== undefined && listedIn(condition) > mostListed) throw tooMany(listedIn(condition));
  const fits = condition === undefined ? [] : [buildCondition(ground, condition, false)];
  const parts = among === undefined ? fits : [among, ...fits];
  return parts.length === 0 ? sql`` : sql` where ${sql.join(parts, sql` and `)}`;
}

type Leaf = Extract<Condition, { readonly field: string }>;

/** Negation goes down to the leaves, which alone know what it is where there is no value. */
function buildCondition(ground: RecordsGround, condition: Condition, isNegated: boolean): Piece {
  if ('not' in condition) return buildCondition(ground, condition.not, !isNegated);
  if ('field' in condition) return buildLeaf(ground, condition, isNegated);
  const [parts, isAll] = 'all' in condition ? [condition.all, true] : [condition.any, false];
  const pieces = parts.map((part) => buildCondition(ground, part, isNegated));
  const needsAll = isAll !== isNegated;
  if (pieces.length === 0) return needsAll ? sql`1 = 1` : sql`1 = 0`;
  return sql`(${sql.join(pieces, needsAll ? sql` and ` : sql` or `)})`;
}

function buildLeaf(ground: RecordsGround, { field, is, value = null }: Leaf, isNegated: boolean): Piece {
  const column = ground.columnOf(field);
  const positive = complements.get(is);
  if (positive !== undefined) return buildLeaf(ground, { field, is: positive, value }, !isNegated);
  if (is === 'empty') return isNegated ? sql`not ${column.isEmpty}` : column.isEmpty;
  const fits = buildComparison(ground, column, is, value);
  if (fits === undefined) return isNegated ? sql`1 = 1` : sql`1 = 0`;
  return isNegated ? sql`(${column.isEmpty} or not (${fits}))` : fits;
}

const complements: ReadonlyMap<Leaf['is'], Leaf['is']> = new Map([
  ['not-equals', 'equals'],
  ['not-in', 'in'],
  ['not-contains', 'contains'],
  ['not-empty', 'empty'],
]);

/** Nothing where no record can fit: what is compared with is no value. */
function buildComparison(
  { dialect }: RecordsGround,
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

const mostListed = 15_000; // SQLite takes 32,766 values, and a list with its total asks twice

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

/** The value in the form that the column is compared in. */
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

/** How many values a condition compares with. */
function listedIn(condition: Condition): number {
  if ('not' in condition) return listedIn(condition.not);
  if ('field' in condition) return Array.isArray(condition.value) ? condition.value.length : 1;
  const parts = 'all' in condition ? condition.all : condition.any;
  return parts.reduce((sum, part) => sum + listedIn(part), 0);
}

function tooMany(count: number): AgentError {
  const most = mostListed.toLocaleString('en');
  return new AgentError('limit.too-large', `${count.toLocaleString('en')} values are compared with.`, {
    hint: `Ask for at most ${most} values at once.`,
  });
}
