import type { ExistingTable } from './existing-table.ts';

/** Whether the database sees to it that no two records have the same value in a column. */
export function isUniqueAlready({ key, indexes }: ExistingTable, column: string): boolean {
  const uniques = indexes.filter(({ isUnique }) => isUnique).map(({ columns }) => columns);
  return [key, ...uniques].some((columns) => columns.length === 1 && columns[0] === column);
}
