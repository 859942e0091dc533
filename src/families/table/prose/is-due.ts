import { failureOf } from '../../../generation/status.ts';
import { hasWork, planGeneration } from '../../../generation/plan-generation.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseRecipe } from './prose-recipe.ts';

/**
 * Whether code should be generated for a table's prose rules: it is missing or outdated, and generation has
 * not already failed for the same text. Never throws.
 */
export function isDue(definition: TableDefinition, dir: string): boolean {
  const recipe = dir === '' ? undefined : proseRecipe(definition);
  const plan = recipe && planGeneration(dir, recipe);
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  return hasWork(plan) && failureOf(dir, plan) === undefined;
}
