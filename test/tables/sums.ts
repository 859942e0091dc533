import { compare } from './model.ts';
import type { Filter, Row, Value } from './request.ts';

/** Returns a number of a record, or null if it has none. */
export function numberIn(row: Row, field: string): number | null {
  const value = row[field] ?? null;
  return value === null ? null : Number(value);
}

/** Returns a text of a record, or null if it has none. */
export function textIn(row: Row, field: string): string | null {
  const value = row[field];
  return typeof value === 'string' ? value : null;
}

/** Returns a filter: the field has one of the values. */
export function is(field: string, ...values: readonly Value[]): Filter {
  return (row) => values.includes(row[field] ?? null);
}

/** Returns the condition of a typed request: the field has the value. */
export function where(
  field: string,
  value: string | number,
): { field: string; is: 'equals'; value: string | number } {
  return { field, is: 'equals', value };
}

/** Rounds to two decimals. Adds in whole cents, so that it does not share rounding with the package. */
export function cents(amount: number): number {
  return Math.round(Number((amount * 100).toFixed(4))) / 100;
}

/** Returns a function that adds up a field. */
export function sumOf(field: string, filter: Filter = () => true): (rows: readonly Row[]) => number {
  return (rows) => {
    const numbers = rows.filter(filter).map((row) => Math.round(Number(row[field] ?? 0) * 100));
    return numbers.reduce((sum, one) => sum + one, 0) / 100;
  };
}

/** Returns a function that averages a field, with the 15 digits of a decimal. */
export function averageOf(field: string, filter: Filter = () => true): (rows: readonly Row[]) => number {
  return (rows) => Number((sumOf(field, filter)(rows) / rows.filter(filter).length).toPrecision(15));
}

/** Returns a function that finds the highest value of a field. */
export function highestOf(field: string, filter: Filter = () => true): (rows: readonly Row[]) => number {
  return (rows) => Math.max(...rows.filter(filter).map((row) => Number(row[field])));
}

/** Returns a function that counts records by group, or adds up a field. The largest group comes first. */
export function byGroup(
  by: string,
  field?: string,
  filter: Filter = () => true,
): (rows: readonly Row[]) => readonly (readonly [Value, Value])[] {
  return (rows) => {
    const values = [...new Set(rows.filter(filter).map((row) => row[by] ?? null))];
    const groups = values.map((value) => {
      const own = rows.filter((row) => filter(row) && row[by] === value);
      return [value, field === undefined ? own.length : sumOf(field)(own)] as const;
    });
    return groups.sort(([one, first], [other, second]) => second - first || compare(one, other));
  };
}
