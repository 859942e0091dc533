import { readFailure } from '../../generation/failure.ts';
import { planGeneration } from '../../generation/plan-generation.ts';
import type { CodeSkillDefinition } from './definition.ts';
import { recipeFor } from './recipe.ts';

/** Whether code is to be made of the specs of a skill, and that has not failed before with the same ones. Never throws. */
export function isDue(definition: CodeSkillDefinition, dir: string): boolean {
  const plan = dir === '' ? undefined : planGeneration(dir, recipeFor(definition));
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  const { files, orphans, inputs } = plan;
  const isOpen = orphans.length > 0 || files.some(({ status }) => status === 'due');
  return isOpen && readFailure(dir)?.inputs !== inputs;
}
