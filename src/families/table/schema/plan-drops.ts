import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { compilePiece, readTotal } from '../sql/run-piece.ts';
import { tablePiece } from '../sql/table-piece.ts';
import type { ExistingColumn, ExistingTable } from './inspect/existing-table.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import type { SchemaGround } from './schema-ground.ts';
import { dropIndex } from './statements/table-statements.ts';

/** Columns of fields that the descriptor no longer has; their values are kept, unseen, until somebody lets them go. */
export async function planDrops(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const { existing, kept, columns } = ground;
  if (existing === undefined || existing.isView || kept === undefined) return [];
  const used = new Set(columns.map(({ name }) => name));
  const ours = new Set(kept.record.fields.map(({ column }) => column));
  const former = existing.columns.filter(
    ({ name }) => !used.has(name) && ours.has(name) && !existing.key.includes(name),
  );
  const plans: ProposalPlan[] = [];
  for (const column of former) plans.push(await planDrop(ground, existing, column));
  return plans;
}

async function planDrop(
  { place, name, table }: SchemaGround,
  existing: ExistingTable,
  { name: column }: ExistingColumn,
): Promise<ProposalPlan> {
  const values = await readTotal(
    place,
    sql`select count(${sql.id(column)}) as total from ${tablePiece(name)}`,
  );
  const indexes = (['unique', 'order'] as const).map((use) => dropIndex(name, column, use));
  const drop = sql`alter table ${tablePiece(name)} drop column ${sql.id(column)}`;
  return buildProposalPlan(table, {
    kind: 'drop',
    about: [column],
    isBlocking: false,
    text: `The file no longer has a field for the column "${column}" of "${existing.table}", which holds ${counted(values, 'value')}.`,
    statements: [...indexes, drop].map((piece) => compilePiece(place, piece)),
    losesData: values > 0,
    record: (before) => ({ ...before, fields: before.fields.filter((entry) => entry.column !== column) }),
  });
}
