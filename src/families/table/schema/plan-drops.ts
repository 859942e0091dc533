import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { compileSql } from './compile-sql.ts';
import type { ExistingColumn, ExistingTable } from './existing-table.ts';
import type { Ground } from './ground.ts';
import { planId, type Plan } from './plan.ts';
import { dropIndex, tablePiece } from './table-statements.ts';

/** Columns of fields that the descriptor no longer has; their values are kept, unseen, until somebody lets them go. */
export async function planDrops(ground: Ground): Promise<readonly Plan[]> {
  const { existing, kept, columns } = ground;
  if (existing === undefined || existing.isView || kept === undefined) return [];
  const used = new Set(columns.map(({ name }) => name));
  const ours = new Set(kept.record.fields.map(({ column }) => column));
  const former = existing.columns.filter(
    ({ name }) => !used.has(name) && ours.has(name) && !existing.key.includes(name),
  );
  const plans: Plan[] = [];
  for (const column of former) plans.push(await planDrop(ground, existing, column));
  return plans;
}

async function planDrop(
  { place: { kind, run }, name, table }: Ground,
  existing: ExistingTable,
  { name: column }: ExistingColumn,
): Promise<Plan> {
  const [row] = await run(
    compileSql(kind, sql`select count(${sql.id(column)}) as total from ${tablePiece(name)}`),
  );
  const values = Number(row?.['total'] ?? 0);
  const indexes = (['unique', 'order'] as const).map((use) => dropIndex(name, column, use));
  const drop = sql`alter table ${tablePiece(name)} drop column ${sql.id(column)}`;
  const statements = [...indexes, drop].map((piece) => compileSql(kind, piece));
  return {
    proposal: {
      id: planId('drop', table.name, column),
      kind: 'drop',
      text: `The file no longer has a field for the column "${column}" of "${existing.table}", which holds ${counted(values, 'value')}.`,
      sql: statements.map((statement) => statement.sql),
      values,
      unfit: [],
      losesData: values > 0,
    },
    isBlocking: false,
    apply: async (place) => {
      for (const statement of statements) await place.run(statement);
    },
    record: (before) => ({ ...before, fields: before.fields.filter((entry) => entry.column !== column) }),
  };
}
