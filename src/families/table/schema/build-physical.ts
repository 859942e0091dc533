import { AgentError } from '../../../core/index.ts';
import type { AssignedColumn } from './assign-columns.ts';
import type { ExistingColumn } from './inspect/existing-table.ts';
import { isUnique } from './inspect/is-unique.ts';
import type { Physical } from './physical.ts';
import type { SchemaGround } from './schema-ground.ts';

/** A table as records are read from it and written to it. */
export function buildPhysical(ground: SchemaGround): Physical {
  const { name, columns } = ground;
  const byField = new Map(columns.map((column) => [column.field.name, column]));
  const assigned = (field: string): AssignedColumn => {
    const column = byField.get(field);
    if (column !== undefined) return column;
    throw new AgentError('internal.bug', `"${field}" is not a field of the table "${name.table}".`);
  };
  const [readOnly, closed] = [readOnlyBecause(ground), closedBecause(ground)];
  return {
    ...name,
    ...(readOnly === undefined ? {} : { readOnlyBecause: readOnly }),
    ...(closed === undefined ? {} : { closedBecause: closed }),
    unseen: unseenOf(ground).map((column) => column.name),
    columnOf: (field) => assigned(field).name,
    storageOf: (field) => assigned(field).storage,
  };
}

function readOnlyBecause(ground: SchemaGround): string | undefined {
  const { existing, key } = ground;
  if (existing === undefined) return undefined;
  if (existing.isView)
    return `"${existing.table}" is a view of the database, so its records can only be read.`;
  const names = key.map(({ name }) => name);
  if (existing.key.length > 0 || isUnique(existing, names)) return undefined;
  return `"${existing.table}" has no key in the database, so its records can only be read.`;
}

/** What the database has and the descriptor has not, but for what it works out itself. */
function unseenOf({ existing, columns }: SchemaGround): readonly ExistingColumn[] {
  const known = new Set(columns.map(({ name }) => name));
  return (existing?.columns ?? []).filter(({ name, isGenerated }) => !known.has(name) && !isGenerated);
}

function closedBecause(ground: SchemaGround): string | undefined {
  const needed = unseenOf(ground).find(
    (column) => column.isRequired && column.default === undefined && !column.isNumbered,
  );
  if (needed === undefined) return undefined;
  return `The column "${needed.name}" needs a value in each record and is not a field of the table, so nothing can be added.`;
}
