import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import type { SchemaGround } from './schema-ground.ts';

/** Fields for which a view has no column: nothing can be added to it. Pure. */
export function planMissing({ table, existing, columns }: SchemaGround): readonly ProposalPlan[] {
  if (existing?.isView !== true) return [];
  const missing = columns.filter((column) => column.existing === undefined);
  return missing.map(({ field }) =>
    buildProposalPlan(table, {
      ...{ kind: 'missing', about: [field.name], isBlocking: true },
      text: `The view "${existing.table}" has no column for the field "${field.name}".`,
      obstacle: 'Add the column to the view, or take the field out of the file.',
    }),
  );
}
