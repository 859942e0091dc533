import type { Ground } from './ground.ts';
import { planId, type Plan } from './plan.ts';

/** Fields for which a view has no column: nothing can be added to it. Pure. */
export function planMissing({ table, existing, columns }: Ground): readonly Plan[] {
  if (existing?.isView !== true) return [];
  const missing = columns.filter((column) => column.existing === undefined);
  return missing.map(({ field }) => ({
    proposal: {
      id: planId('missing', table.name, field.name),
      kind: 'missing',
      text: `The view "${existing.table}" has no column for the field "${field.name}".`,
      ...{ sql: [], values: 0, unfit: [], losesData: false },
      obstacle: 'Add the column to the view, or take the field out of the file.',
    },
    isBlocking: true,
    apply: () => Promise.resolve(),
    record: (before) => before,
  }));
}
