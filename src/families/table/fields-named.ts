import type { Field, Table } from './table.ts';

/** The fields that go by these names, in this order; a name that is no field's is left out. */
export function fieldsNamed({ find }: Pick<Table, 'find'>, names: readonly string[]): readonly Field[] {
  return names.map((name) => find(name)).filter((field) => field !== undefined);
}
