import { compilePiece } from '../sql/run-piece.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { isUnique } from './is-unique.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { readDoubles } from './read-doubles.ts';
import type { SchemaGround } from './schema-ground.ts';
import { createIndex } from './table-statements.ts';

/** Fields that are unique from now on, although records have the same value in them. */
export async function planUniques(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const { existing, columns } = ground;
  if (existing === undefined || existing.isView) return [];
  const wanted = columns.filter(
    ({ field, name, existing: column }) =>
      column !== undefined && field.unique === true && field.key === undefined && !isUnique(existing, [name]),
  );
  const plans: ProposalPlan[] = [];
  for (const column of wanted) plans.push(...(await planUnique(ground, column)));
  return plans;
}

async function planUnique(
  { place, name, table }: SchemaGround,
  column: AssignedColumn,
): Promise<readonly ProposalPlan[]> {
  const { total, some } = await readDoubles(place, name, [column.name]);
  if (total === 0) return [];
  const { field } = column;
  return [
    buildProposalPlan(table, {
      ...{ kind: 'unique', about: [field.name], isBlocking: true },
      text: `"${field.name}" is unique in the file, but several records have the same value: ${some.join(', ')}.`,
      statements: [compilePiece(place, createIndex(place.kind, name, column.name, 'unique', false))],
      obstacle: 'Give these records values of their own first, or take "Unique" out of the file.',
    }),
  ];
}
