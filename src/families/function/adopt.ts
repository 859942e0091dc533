import type { DefinedSkill } from '../../core/define-skill.ts';
import type { FunctionDefinition } from './definition.ts';

/** Takes over skills made in code that have a function to run. */
export function adopt(made: DefinedSkill): FunctionDefinition | undefined {
  const run = made.run?.bind(made);
  if (run === undefined) return undefined;
  return { run: (input) => run(input as never) };
}
