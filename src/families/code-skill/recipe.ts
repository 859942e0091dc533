import { codeRecipe } from '../../generation/code-recipe.ts';
import type { Recipe } from '../../generation/plan-generation.ts';
import { buildContract } from './contract.ts';
import type { CodeSkillDefinition } from './definition.ts';

/** What the code of a skill is made with, beside its specs. Pure. */
export function recipeFor(definition: CodeSkillDefinition): Recipe {
  return { ...codeRecipe, contract: buildContract(definition) };
}
