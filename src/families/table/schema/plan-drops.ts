import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { compilePiece, readTotal, tablePiece } from '../sql.ts';
import type { ExistingColumn, ExistingTable } from './inspect/existing-table.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import type { SchemaContext } from './schema-context.ts';
import { dropIndex } from './statements/table-statements.ts';

/**
 * Proposes to drop columns whose fields are no longer in the descriptor. Until they are dropped, their values
 * are kept but not shown.
 */
export async function planDrops(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  const { existing, stored, columns } = context;
  if (existing === undefined || existing.isView || stored === undefined) return [];
  const used = new Set(columns.map(({ name }) => name));
  const ours = new Set(stored.record.fields.map(({ column }) => column));
  const former = existing.columns.filter(
    ({ name }) => !used.has(name) && ours.has(name) && !existing.key.includes(name),
  );
  const plans: ProposalPlan[] = [];
  for (const column of former) plans.push(await planDrop(context, existing, column));
  return plans;
}

async function planDrop(
  { executor, name, table }: SchemaContext,
  existing: ExistingTable,
  { name: column }: ExistingColumn,
): Promise<ProposalPlan> {
  const values = await readTotal(
    executor,
    sql`select count(${sql.id(column)}) as total from ${tablePiece(name)}`,
  );
  const indexes = (['unique', 'order'] as const).map((use) => dropIndex(name, column, use));
  const drop = sql`alter table ${tablePiece(name)} drop column ${sql.id(column)}`;
  return buildProposalPlan(table, {
    kind: 'drop',
    about: [column],
    isBlocking: false,
    text: `The file no longer has a field for the column "${column}" of "${existing.table}", which holds ${counted(values, 'value')}.`,
    statements: [...indexes, drop].map((piece) => compilePiece(executor, piece)),
    losesData: values > 0,
    record: (before) => ({ ...before, fields: before.fields.filter((entry) => entry.column !== column) }),
  });
}
