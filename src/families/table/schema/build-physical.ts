import { AgentError } from '../../../core/index.ts';
import type { AssignedColumn } from './assign-columns.ts';
import type { ExistingColumn } from './inspect/existing-table.ts';
import { isUnique } from './inspect/is-unique.ts';
import type { Physical } from './physical.ts';
import type { SchemaContext } from './schema-context.ts';

/** Describes the database table that records are read from and written to. */
export function buildPhysical(context: SchemaContext): Physical {
  const { name, columns } = context;
  const byField = new Map(columns.map((column) => [column.field.name, column]));
  const assigned = (field: string): AssignedColumn => {
    const column = byField.get(field);
    if (column !== undefined) return column;
    throw new AgentError('internal.bug', `"${field}" is not a field of the table "${name.table}".`);
  };
  const [readOnly, closed] = [readOnlyBecause(context), closedBecause(context)];
  return {
    ...name,
    ...(readOnly === undefined ? {} : { readOnlyBecause: readOnly }),
    ...(closed === undefined ? {} : { closedBecause: closed }),
    unseen: unseenOf(context).map((column) => column.name),
    columnOf: (field) => assigned(field).name,
    storageOf: (field) => assigned(field).storage,
  };
}

function readOnlyBecause(context: SchemaContext): string | undefined {
  const { existing, key } = context;
  if (existing === undefined) return undefined;
  if (existing.isView) return `"${existing.table}" is a database view, so its records can only be read.`;
  const names = key.map(({ name }) => name);
  if (existing.key.length > 0 || isUnique(existing, names)) return undefined;
  return `"${existing.table}" has no key in the database, so its records can only be read.`;
}

/** Returns the database columns without a declared field, except those that the database computes. */
function unseenOf({ existing, columns }: SchemaContext): readonly ExistingColumn[] {
  const known = new Set(columns.map(({ name }) => name));
  return (existing?.columns ?? []).filter(({ name, isGenerated }) => !known.has(name) && !isGenerated);
}

function closedBecause(context: SchemaContext): string | undefined {
  const needed = unseenOf(context).find(
    (column) => column.isRequired && column.default === undefined && !column.isNumbered,
  );
  if (needed === undefined) return undefined;
  return `The column "${needed.name}" requires a value in each record but is not a field of the table, so no records can be added.`;
}
