import type { TableName } from '../schema/inspect/existing-table.ts';

/** A table as text, with its schema in front where it has one. */
export function fullName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}
