import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { buildContract } from './contract.ts';
import type { CodeSkillDefinition } from './definition.ts';

/** Has the code of a skill made of its specs; what comes of it is data. */
export function callGenerator(
  definition: CodeSkillDefinition,
  scope: Scope,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Output> {
  return scope.call('mirror-code-generator', {
    directory: scope.skill.dir,
    contract: buildContract(definition),
    exports: ['action'],
    ...(force ? { force } : {}),
  });
}
