import { codeRecipe } from '../../../generation/plan-generation.ts';
import type { Recipe } from '../../../generation/plan-generation.ts';
import { buildTable } from '../build-table.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { buildPromise } from './build-promise.ts';
import { buildSpec } from './build-spec.ts';
import { proseItems } from './prose-items.ts';

/** The path of the generated code for prose rules, relative to `src`. */
export const proseTarget = 'rules.ts';

/**
 * Returns the recipe for generating the code for a table's prose rules, or undefined if it has none. Pure.
 */
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
