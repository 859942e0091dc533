import { failureOf } from '../../generation/failure.ts';
import { hasWork, planGeneration } from '../../generation/plan-generation.ts';
import type { CodeSkillDefinition } from './definition.ts';
import { recipeFor } from './recipe.ts';

/** Whether code is to be made of the specs of a skill, and that has not failed before with the same ones. Never throws. */
export function isDue(definition: CodeSkillDefinition, dir: string): boolean {
  const plan = dir === '' ? undefined : planGeneration(dir, recipeFor(definition));
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  return hasWork(plan) && failureOf(dir, plan) === undefined;
}
