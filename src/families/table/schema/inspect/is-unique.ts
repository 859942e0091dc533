import type { ExistingTable } from './existing-table.ts';

/** Whether the database ensures that no two records have the same values in these columns. */
export function isUnique({ key, indexes }: ExistingTable, columns: readonly string[]): boolean {
  const uniques = indexes.filter((index) => index.isUnique).map((index) => index.columns);
  return [key, ...uniques].some(
    (names) => names.length === columns.length && names.every((name) => columns.includes(name)),
  );
}
