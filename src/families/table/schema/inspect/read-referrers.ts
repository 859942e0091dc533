import type { SqlExecutor, TableName } from './existing-table.ts';
import { sqlName } from '../sql-name.ts';
import { readTableRecords, type RecordedField } from '../table-record.ts';

/** A column in another table whose values refer to this table. */
interface Referrer extends TableName {
  /** The other table's title. */
  readonly title: string;
  readonly from: RecordedField;
  /** The referenced field, by the name that the other table uses. Absent if it is the key. */
  readonly field?: string;
}

/**
 * Finds references to a table from all skill tables that were ever opened in the database, including the
 * table itself. Considers every name of the table: with and without its schema, and as used in this and other
 * descriptors.
 */
export async function readReferrers(
  executor: SqlExecutor,
  { schema: own = '', table, name }: TableName & { readonly name: string },
): Promise<readonly Referrer[]> {
  const records = await readTableRecords(executor);
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
