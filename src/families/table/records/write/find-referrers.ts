import { sql } from 'kysely';
import type { RunSql } from '../../../../core/database.ts';
import type { ExistingTable } from '../../schema/existing-table.ts';
import { findTable } from '../../schema/find-table.ts';
import { inspectTable } from '../../schema/inspect-table.ts';
import { matchColumn } from '../../schema/match-column.ts';
import { readReferrers } from '../../schema/read-referrers.ts';
import { tablePiece } from '../../schema/table-statements.ts';
import type { Column } from '../column.ts';
import type { Ground } from '../ground.ts';
import type { Target } from './values-among.ts';

/** Who refers to the records of a table, or a sentence that says why that cannot be known. */
export type Referring =
  | { readonly column: Column; readonly target: Target; readonly title: string }
  | { readonly column: Column | undefined; readonly unknown: string };

/** All that refer to a table: by their own descriptors, as the database knows them, and by the one of the table. */
export async function findReferrers(run: RunSql, ground: Ground): Promise<readonly Referring[]> {
  const { table, physical, database } = ground;
  const place = { kind: database.kind, run };
  const found: Referring[] = [];
  for (const referrer of await readReferrers(place, { table: physical.table, name: table.name })) {
    const existing = await inspectTable(place, referrer);
    const { title, field } = referrer;
    found.push(referringOf(ground, { title, existing, field: referrer.from.column, to: field }));
  }
  for (const { referencedBy, references, field } of table.relationships) {
    if (referencedBy === undefined) continue;
    const { table: title, field: wanted = '' } = referencedBy;
    const own = references === undefined ? field : undefined;
    const to = own ?? (ground.key.length === 1 ? undefined : wanted);
    found.push(referringOf(ground, { title, existing: await findTable(place, title), field: wanted, to }));
  }
  return found;
}

interface Named {
  readonly title: string;
  readonly existing: ExistingTable | undefined;
  /** The field of the other table. */
  readonly field: string;
  /** The field that is referred to; the key where it is not named. */
  readonly to: string | undefined;
}

function referringOf(ground: Ground, { title, existing, field, to }: Named): Referring {
  const column = referredColumn(ground, to);
  const refuse = (why: string): Referring => ({
    column,
    unknown: `${title} may refer to records of ${ground.table.name}, which cannot be looked up: ${why}.`,
  });
  if (existing === undefined) return refuse('there is no such table');
  const other = matchColumn(existing.columns, field);
  if (other === undefined) return refuse(`it has no column "${field}"`);
  if (column === undefined) return refuse('which field of them it means is not known');
  return { column, title, target: { from: tablePiece(existing), column: sql.id(other.name) } };
}

function referredColumn({ table, key, columnOf }: Ground, field: string | undefined): Column | undefined {
  if (field === undefined) return key.length === 1 ? key[0] : undefined;
  const found = table.find(field);
  return found === undefined ? undefined : columnOf(found.name);
}
