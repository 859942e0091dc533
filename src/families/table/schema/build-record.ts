import { mergeRoles } from './role-width.ts';
import type { SchemaGround } from './schema-ground.ts';
import type { RecordedField, TableRecord } from './table-record.ts';

/** What is to be kept about a table; fields that the descriptor no longer has stay known until their columns go. Pure. */
export function buildRecord({ table, name, existing, kept, columns }: SchemaGround): TableRecord {
  const fields = columns.map(({ field, name: column, storage }): RecordedField => ({
    ...{ field: field.name, column, type: field.type, form: storage.form, sqlType: storage.sqlType },
    ...(field.references === undefined ? {} : { references: field.references }),
  }));
  const there = new Set(existing?.columns.map((column) => column.name));
  const taken = new Set(fields.map(({ column }) => column));
  const former = (kept?.record.fields ?? []).filter(({ column }) => there.has(column) && !taken.has(column));
  return {
    ...name,
    title: kept?.record.title ?? table.name,
    isOwn: existing === undefined || kept?.record.isOwn === true,
    fields: [...fields, ...former],
    roles: kept === undefined ? mergeRoles(table.roles ?? null, { read: [], write: [] }) : kept.record.roles,
  };
}
