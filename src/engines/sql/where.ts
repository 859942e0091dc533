import { sql } from 'kysely';
import { AgentError, asText, foldText, type Json } from '../../core/index.ts';
import type { Condition, Sort } from '../conditions/conditions.ts';
import type { Piece, TableDialect } from './pieces.ts';

/** A column that conditions and sort orders can use. */
interface ComparedColumn {
  readonly field: { readonly name: string; readonly key?: unknown };
  /** The expression for equality tests, for which the database can use an index. */
  readonly equal: Piece;
  /** The expression for sorting and for `<` and `>` comparisons. Evaluates to null if a value is missing. */
  readonly ordered: Piece;
  /** The text to search, in lower case unless the comparison is exact. */
  readonly searched: Piece;
  /** A test for a missing value: null or, in tables not created by a skill, empty text. */
  readonly isEmpty: Piece;
  /** Whether text is compared case-insensitively. */
  readonly isFolded: boolean;
  toSql(value: Json): unknown;
}

/** The columns that a statement can use. */
interface ComparedColumns {
  readonly dialect: TableDialect;
  readonly key: readonly ComparedColumn[];
  /** The ` order by …` clause for lists without another order. */
  readonly keyOrder: Piece;
  columnOf(field: string): ComparedColumn;
}

/**
 * Builds a ` where …` clause, or empty SQL if there is no condition. Each record matches either a condition
 * or its negation, never both. `among` is an additional restriction.
 */
export function whereOf(context: ComparedColumns, condition: Condition | undefined, among?: Piece): Piece {
  if (condition !== undefined) mustBeShort(condition);
  const fits = condition === undefined ? [] : [buildCondition(context, condition, false)];
  const parts = among === undefined ? fits : [among, ...fits];
  return parts.length === 0 ? sql`` : sql` where ${sql.join(parts, sql` and `)}`;
}

/**
 * Builds an ` order by …` clause that ends with the key. Records without a value come last in both
 * directions.
 */
export function orderOf(context: ComparedColumns, sorts: readonly Sort[] = []): Piece {
  if (sorts.length === 0) return context.keyOrder;
  const directions = new Map<string, Sort['direction']>();
  const byKey = context.key.map(({ field }): Sort => ({ field: field.name, direction: 'up' }));
  for (const { field, direction } of [...sorts, ...byKey])
    if (!directions.has(field)) directions.set(field, direction);
  const parts = Array.from(directions, ([field, direction]) => {
    const column = context.columnOf(field);
    const piece = sql`${column.ordered} ${turns[direction]}`;
    // Keys are never null. Without `nulls last`, the database can use the index on the key for sorting.
    return column.field.key === undefined ? sql`${piece} nulls last` : piece;
  });
  return sql` order by ${sql.join(parts)}`;
}

/** The SQL keyword for each direction. */
export const turns: Readonly<Record<Sort['direction'], Piece>> = { up: sql`asc`, down: sql`desc` };

/** Builds a ` limit … offset …` clause, or empty SQL. SQLite does not support an offset without a limit. */
export function windowOf({ kind }: Pick<TableDialect, 'kind'>, limit: number | undefined, offset = 0): Piece {
  const most = limit ?? (kind === 'sqlite' && offset > 0 ? -1 : undefined);
  return sql`${most === undefined ? sql`` : sql` limit ${most}`}${offset > 0 ? sql` offset ${offset}` : sql``}`;
}

type Leaf = Extract<Condition, { readonly field: string }>;

/**
 * Builds a condition. Pushes negation down to the individual comparisons, because only they define how
 * missing values are treated.
 */
function buildCondition(context: ComparedColumns, condition: Condition, isNegated: boolean): Piece {
  if ('not' in condition) return buildCondition(context, condition.not, !isNegated);
  if ('field' in condition) return buildLeaf(context, condition, isNegated);
  const [parts, isAll] = 'all' in condition ? [condition.all, true] : [condition.any, false];
  const pieces = parts.map((part) => buildCondition(context, part, isNegated));
  const needsAll = isAll !== isNegated;
  if (pieces.length === 0) return constant(needsAll);
  return sql`(${sql.join(pieces, needsAll ? sql` and ` : sql` or `)})`;
}

function buildLeaf(context: ComparedColumns, { field, is, value = null }: Leaf, isNegated: boolean): Piece {
  const column = context.columnOf(field);
  if (is.startsWith('not-'))
    return buildLeaf(context, { field, is: is.slice('not-'.length) as Leaf['is'], value }, !isNegated);
  if (is === 'empty') return isNegated ? sql`not ${column.isEmpty}` : column.isEmpty;
  const fits = buildComparison(context, column, is, value);
  if (fits === undefined) return constant(isNegated);
  return isNegated ? sql`(${column.isEmpty} or not (${fits}))` : fits;
}

function constant(holds: boolean): Piece {
  return holds ? sql`1 = 1` : sql`1 = 0`;
}

const orders: ReadonlyMap<Leaf['is'], Piece> = new Map([
  ['less', sql`<`],
  ['at-most', sql`<=`],
  ['more', sql`>`],
  ['at-least', sql`>=`],
]);

const searches: ReadonlyMap<Leaf['is'], 'holds' | 'startsWith' | 'endsWith'> = new Map([
  ['contains', 'holds'],
  ['starts-with', 'startsWith'],
  ['ends-with', 'endsWith'],
]);

/** Builds a comparison. Returns undefined if no record can match because the comparison value is missing. */
function buildComparison(
  context: ComparedColumns,
  column: ComparedColumn,
  is: Leaf['is'],
  value: Json,
): Piece | undefined {
  if (is === 'in') {
    const real = listOf(value).filter((one) => one !== null && one !== '');
    const list = real.map((one) => sqlOf(column, one));
    return list.length === 0 ? undefined : sql`${column.equal} in (${sql.join(list)})`;
  }
  if (is === 'between') {
    const [from = null, to = null] = listOf(value);
    const least = buildComparison(context, column, 'at-least', from);
    const most = buildComparison(context, column, 'at-most', to);
    return least && most && sql`(${least} and ${most})`;
  }
  if (value === null || value === '') return undefined;
  const search = searches.get(is);
  if (search !== undefined) return context.dialect[search](column.searched, fold(column, asText(value)));
  if (is === 'equals') return sql`${column.equal} = ${sqlOf(column, value)}`;
  const order = orders.get(is);
  return order && sql`${column.ordered} ${order} ${sqlOf(column, value)}`;
}

// SQLite accepts 32,766 values per statement, and listing records with their total uses each value twice.
const maxListed = 15_000;

/** Converts a value to the form in which it is compared with the column. */
function sqlOf(column: ComparedColumn, value: Json): unknown {
  const raw = column.toSql(value);
  return typeof raw === 'string' ? fold(column, raw) : raw;
}

function fold({ isFolded }: ComparedColumn, text: string): string {
  return isFolded ? foldText(text) : text;
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

function mustBeShort(condition: Condition): void {
  const count = listedIn(condition);
  if (count <= maxListed) return;
  throw new AgentError(
    'limit.too-large',
    `The condition lists too many values (${count.toLocaleString('en')}).`,
    { hint: `Use at most ${maxListed.toLocaleString('en')} values at once.` },
  );
}
