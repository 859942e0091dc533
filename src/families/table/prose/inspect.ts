import type { Made } from '../../../core/made.ts';
import { inspectGeneration } from '../../../generation/inspect-generation.ts';
import { normaliseName } from '../../../core/names.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseRecipe } from './prose-recipe.ts';

/** How the code for what a table says in words stands; undefined where it says nothing in words. Never throws. */
export function inspect(definition: TableDefinition, dir: string): Made | undefined {
  const recipe = dir === '' ? undefined : proseRecipe(definition);
  return recipe && inspectGeneration(dir, recipe, normaliseName(definition.table));
}
