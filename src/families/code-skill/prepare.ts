import { optional } from '../../core/collections.ts';
import type { Scope } from '../../core/scope.ts';
import { failureOf } from '../../generation/failure.ts';
import { planGeneration } from '../../generation/plan-generation.ts';
import { callGenerator } from './call-generator.ts';
import type { CodeSkillDefinition, PreparedCodeSkill } from './definition.ts';
import { isDue } from './is-due.ts';
import { recipeFor } from './recipe.ts';

/** Has the code of a skill made where that is due. What fails is told to whoever runs it: there may be older code. */
export async function prepare(definition: CodeSkillDefinition, scope: Scope): Promise<PreparedCodeSkill> {
  const { dir } = scope.skill;
  if (isDue(definition, dir)) {
    const output = await callGenerator(definition, scope);
    if (output.status === 'failed') {
      scope.note(`Its code could not be generated: ${output.error.message}`);
      return { ...definition, failure: output.error };
    }
  }
  return { ...definition, ...stateOf(definition, dir) };
}

/** What is wrong with the code, as far as that was known before. */
function stateOf(
  definition: CodeSkillDefinition,
  dir: string,
): Pick<PreparedCodeSkill, 'failure' | 'drifted'> {
  const plan = planGeneration(dir, recipeFor(definition));
  if (plan === undefined) return {};
  const failure = failureOf(dir, plan)?.error;
  const drifted = plan.files
    .filter(({ status }) => status === 'drifted')
    .map(({ spec }) => `src/${spec.target}`);
  return { ...optional('failure', failure), ...(drifted.length === 0 ? {} : { drifted }) };
}
