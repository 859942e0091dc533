import { sql } from 'kysely';
import { optional, type RunSql } from '../../../../core/index.ts';
import { foldText } from '../../request/compare-values.ts';
import type { ExistingTable } from '../../schema/inspect/existing-table.ts';
import { findExactTable, findTable } from '../../schema/inspect/find-table.ts';
import { inspectTable } from '../../schema/inspect/inspect-table.ts';
import { matchName } from '../../schema/match-name.ts';
import { readLinks } from '../../schema/inspect/read-links.ts';
import { readReferrers } from '../../schema/inspect/read-referrers.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { RecordColumn } from '../column.ts';
import type { RecordsGround } from '../records-ground.ts';
import type { ColumnTarget } from './values-among.ts';

/** Who refers to the records of a table, or a sentence that says why that cannot be known. */
type Referring =
  | {
      readonly column: RecordColumn;
      readonly target: ColumnTarget;
      readonly title: string;
      /** The schema, table and column that the target is. */
      readonly place: readonly (string | undefined)[];
    }
  | { readonly column: RecordColumn | undefined; readonly unknown: string };

/** All that refer to a table: by their own descriptors, as the database knows them, by the one of the table, and by foreign keys. */
export async function findReferrers(run: RunSql, ground: RecordsGround): Promise<readonly Referring[]> {
  const { table, physical, database } = ground;
  const place = { kind: database.kind, run };
  const found: Referring[] = [];
  const name = { ...optional('schema', physical.schema), table: physical.table };
  for (const referrer of await readReferrers(place, { ...name, name: table.name })) {
    const existing = await inspectTable(place, referrer);
    const { title, field } = referrer;
    found.push(referringOf(ground, { title, existing, field: referrer.from.column, to: field }));
  }
  for (const { direction, column, otherTable, otherColumn = '' } of await readLinks(place, name)) {
    if (direction === 'out') continue;
    const existing = await findExactTable(place, otherTable);
    const to = column === undefined ? undefined : (fieldIn(ground, column) ?? '');
    found.push(referringOf(ground, { title: otherTable, existing, field: otherColumn, to }));
  }
  for (const { referencedBy, references, field } of table.relationships) {
    if (referencedBy === undefined) continue;
    const { table: title, field: wanted = '' } = referencedBy;
    const own = references === undefined ? field : undefined;
    const to = own ?? (ground.key.length === 1 ? undefined : wanted);
    found.push(referringOf(ground, { title, existing: await findTable(place, title), field: wanted, to }));
  }
  return withoutRepeats(found);
}

/** What several say is looked up once, under the name that comes first. */
function withoutRepeats(all: readonly Referring[]): readonly Referring[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const mark = 'unknown' in one ? one.unknown : JSON.stringify([one.place, one.column.field.name]);
    return !seen.has(mark) && seen.add(mark);
  });
}

interface Named {
  readonly title: string;
  readonly existing: ExistingTable | undefined;
  /** The field of the other table. */
  readonly field: string;
  /** The field that is referred to; the key where it is not named. */
  readonly to: string | undefined;
}

function referringOf(ground: RecordsGround, { title, existing, field, to }: Named): Referring {
  const column = referredColumn(ground, to);
  const refuse = (why: string): Referring => ({
    column,
    unknown: `${title} may refer to records of ${ground.table.name}, which cannot be looked up: ${why}.`,
  });
  if (existing === undefined) return refuse('there is no such table');
  const other = matchName(existing.columns, field, ({ name }) => name);
  if (other === undefined) return refuse(`it has no column "${field}"`);
  if (column === undefined) return refuse('which field of them it means is not known');
  return {
    column,
    title,
    place: [existing.schema, existing.table, other.name],
    target: { from: tablePiece(existing), column: sql.id(other.name) },
  };
}

/** The field that a column is for, by its name in any case: SQLite makes no difference. */
function fieldIn({ table, physical }: RecordsGround, column: string): string | undefined {
  const fits = (name: string): boolean => foldText(physical.columnOf(name)) === foldText(column);
  return table.fields.find(({ name }) => fits(name))?.name;
}

function referredColumn(
  { table, key, columnOf }: RecordsGround,
  field: string | undefined,
): RecordColumn | undefined {
  if (field === undefined) return key.length === 1 ? key[0] : undefined;
  const found = table.find(field);
  return found === undefined ? undefined : columnOf(found.name);
}
