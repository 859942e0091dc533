import { codeRecipe } from '../../../generation/plan-generation.ts';
import type { Recipe } from '../../../generation/plan-generation.ts';
import { buildTable } from '../build-table.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { buildPromise } from './build-promise.ts';
import { buildSpec } from './build-spec.ts';
import { proseItems } from './prose-items.ts';

/** The file that the code for the words of a table is in, from `src`. */
export const proseTarget = 'rules.ts';

/** What the code for the words of a table is made of; undefined where it says nothing in words. Pure. */
export function proseRecipe(
  definition: TableDefinition,
): (Recipe & Required<Pick<Recipe, 'contract' | 'specs'>>) | undefined {
  const items = proseItems(definition);
  if (items.length === 0) return undefined;
  return {
    ...codeRecipe,
    contract: items.map(buildPromise).join('\n'),
    specs: { [`${proseTarget}.md`]: buildSpec(buildTable(definition), items) },
  };
}
