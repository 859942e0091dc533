import type { Output, Scope } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseItems } from './prose-items.ts';
import { proseRecipe, proseTarget } from './prose-recipe.ts';

/** Generates code for a table's prose rules. Failures are returned as data. */
export async function generateProse(
  definition: TableDefinition,
  scope: Scope,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Output> {
  const recipe = proseRecipe(definition);
  if (recipe === undefined || scope.skill.dir === '')
    return { status: 'done', text: 'There is nothing to generate.' };
  return scope.call('mirror-code-generator', {
    directory: scope.skill.dir,
    contract: recipe.contract,
    specs: { ...recipe.specs },
    entry: proseTarget,
    exports: proseItems(definition).map(({ call }) => call),
    ...(force ? { force } : {}),
  });
}
