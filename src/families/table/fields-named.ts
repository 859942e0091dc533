import type { Field, Table } from './table.ts';

/** Returns the fields with these names in the order of the names. Unknown names are left out. */
export function fieldsNamed({ find }: Pick<Table, 'find'>, names: readonly string[]): readonly Field[] {
  return names.map((name) => find(name)).filter((field) => field !== undefined);
}
