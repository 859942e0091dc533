import type { SchemaPlace, TableName } from './existing-table.ts';
import { sqlName } from '../sql-name.ts';
import { readTableRecords, type RecordedField } from '../table-record.ts';

/** A column of another table whose values must stand in this one. */
interface Referrer extends TableName {
  /** As people call the table. */
  readonly title: string;
  readonly from: RecordedField;
  /** The field that is referred to, as the other table calls it; absent when it is the key. */
  readonly field?: string;
}

/**
 * Who refers to a table, by all tables of skills that were ever opened in the database; itself included. Whatever the
 * table may be called counts: its name with and without its schema, and what this and other descriptors call it.
 */
export async function readReferrers(
  place: SchemaPlace,
  { schema: own = '', table, name }: TableName & { readonly name: string },
): Promise<readonly Referrer[]> {
  const records = await readTableRecords(place);
  const titles = records
    .filter(({ record }) => record.table === table && (record.schema ?? '') === own)
    .map(({ record }) => record.title);
  const names = new Set([table, `${own}.${table}`, name, ...titles].map(sqlName));
  return records.flatMap(({ record }) =>
    record.fields.flatMap((from) => {
      const { references } = from;
      if (references === undefined || !names.has(sqlName(references.table))) return [];
      const { schema, table: other, title } = record;
      return [
        {
          ...(schema === undefined ? {} : { schema }),
          table: other,
          title,
          from,
          ...(references.field === undefined ? {} : { field: references.field }),
        },
      ];
    }),
  );
}
