import { sql } from 'kysely';
import { optional, type RunSql } from '../../../../core/index.ts';
import { foldText } from '../../request/compare-values.ts';
import type { ExistingTable } from '../../schema/inspect/existing-table.ts';
import { findExactTable, findTable } from '../../schema/inspect/find-table.ts';
import { inspectTable } from '../../schema/inspect/inspect-table.ts';
import { matchName } from '../../schema/match-name.ts';
import { readLinks } from '../../schema/inspect/read-links.ts';
import { readReferrers } from '../../schema/inspect/read-referrers.ts';
import { tablePiece } from '../../sql.ts';
import type { RecordColumn } from '../column.ts';
import type { RecordsContext } from '../records-context.ts';
import type { ColumnTarget } from './values-among.ts';

/**
 * A reference to a table's records. `unknown` is a sentence that explains why its values cannot be looked up.
 */
type Referring =
  | {
      readonly column: RecordColumn;
      readonly target: ColumnTarget;
      readonly title: string;
      /** The schema, table and column that contain the reference. */
      readonly path: readonly (string | undefined)[];
    }
  | { readonly column: RecordColumn | undefined; readonly unknown: string };

/**
 * Finds all references to a table: those from other descriptors as recorded in the database, those from the
 * table's own descriptor, and foreign keys.
 */
export async function findReferrers(run: RunSql, context: RecordsContext): Promise<readonly Referring[]> {
  const { table, physical, database } = context;
  const executor = { kind: database.kind, run };
  const found: Referring[] = [];
  const name = { ...optional('schema', physical.schema), table: physical.table };
  for (const referrer of await readReferrers(executor, { ...name, name: table.name })) {
    const existing = await inspectTable(executor, referrer);
    const { title, field } = referrer;
    found.push(referringOf(context, { title, existing, field: referrer.from.column, to: field }));
  }
  for (const { direction, column, otherTable, otherColumn = '' } of await readLinks(executor, name)) {
    if (direction === 'out') continue;
    const existing = await findExactTable(executor, otherTable);
    const to = column === undefined ? undefined : (fieldIn(context, column) ?? '');
    found.push(referringOf(context, { title: otherTable, existing, field: otherColumn, to }));
  }
  for (const { referencedBy, references, field } of table.relationships) {
    if (referencedBy === undefined) continue;
    const { table: title, field: targetField = '' } = referencedBy;
    const own = references === undefined ? field : undefined;
    const to = own ?? (context.key.length === 1 ? undefined : targetField);
    found.push(
      referringOf(context, { title, existing: await findTable(executor, title), field: targetField, to }),
    );
  }
  return withoutRepeats(found);
}

/** Removes duplicate references. Of several names for the same reference, keeps the first. */
function withoutRepeats(all: readonly Referring[]): readonly Referring[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const mark = 'unknown' in one ? one.unknown : JSON.stringify([one.path, one.column.field.name]);
    return !seen.has(mark) && seen.add(mark);
  });
}

interface Named {
  readonly title: string;
  readonly existing: ExistingTable | undefined;
  /** The referring field in the other table. */
  readonly field: string;
  /** The referenced field. Defaults to the key. */
  readonly to: string | undefined;
}

function referringOf(context: RecordsContext, { title, existing, field, to }: Named): Referring {
  const column = referredColumn(context, to);
  const refuse = (why: string): Referring => ({
    column,
    unknown: `${title} might refer to records in ${context.table.name}, but this cannot be checked: ${why}.`,
  });
  if (existing === undefined) return refuse('there is no such table');
  const other = matchName(existing.columns, field, ({ name }) => name);
  if (other === undefined) return refuse(`it has no column "${field}"`);
  if (column === undefined) return refuse('it is not known which of their fields it refers to');
  return {
    column,
    title,
    path: [existing.schema, existing.table, other.name],
    target: { from: tablePiece(existing), column: sql.id(other.name) },
  };
}

/** Finds a field by its column name. Ignores case, as SQLite does. */
function fieldIn({ table, physical }: RecordsContext, column: string): string | undefined {
  const fits = (name: string): boolean => foldText(physical.columnOf(name)) === foldText(column);
  return table.fields.find(({ name }) => fits(name))?.name;
}

function referredColumn(
  { table, key, columnOf }: RecordsContext,
  field: string | undefined,
): RecordColumn | undefined {
  if (field === undefined) return key.length === 1 ? key[0] : undefined;
  const found = table.find(field);
  return found === undefined ? undefined : columnOf(found.name);
}
