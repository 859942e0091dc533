import { isJsonObject, type Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { clearFailure } from '../../generation/failure.ts';
import { readSpecs } from '../../generation/read-specs.ts';
import { callGenerator } from './call-generator.ts';
import type { CodeSkillDefinition } from './definition.ts';

/**
 * Has the code of a skill made because a person wants it, also where that failed before; one that is written by hand has
 * nothing to make.
 */
export async function build(definition: CodeSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  const { name, dir } = scope.skill;
  if (dir === '' || readSpecs(dir) === undefined)
    return { status: 'done', text: `${name}: there is nothing to generate, it has no specs.` };
  clearFailure(dir);
  const output = await callGenerator(definition, scope, {
    force: isJsonObject(input) && input['force'] === true,
  });
  return output.status === 'done' ? { ...output, text: `${name}: ${output.text}` } : output;
}
