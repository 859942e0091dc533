import { sqlName } from './sql-name.ts';

/** The column that a name means: the one that is called so, else the only one that is called so in another spelling. */
export function matchColumn<Column extends { readonly name: string }>(
  columns: readonly Column[],
  name: string,
): Column | undefined {
  const wanted = sqlName(name);
  const exact =
    columns.find((column) => column.name === name) ?? columns.find((column) => column.name === wanted);
  if (exact !== undefined) return exact;
  const alike = columns.filter((column) => sqlName(column.name) === wanted);
  return alike.length === 1 ? alike[0] : undefined;
}
