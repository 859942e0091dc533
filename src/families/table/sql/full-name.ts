import type { TableName } from '../schema/inspect/existing-table.ts';

/** Returns a table's name, qualified with its schema if it has one. */
export function fullName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}
