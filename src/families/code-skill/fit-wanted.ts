import { AgentError } from '../../core/error.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { wantedVerdict } from '../../core/json/validate.ts';

/** The output of a skill whose value is what its caller wants; throws `skill.no-result` where it is not. */
export async function fitWanted(output: Output, scope: Scope): Promise<Output> {
  const { result: schema } = scope.wanted;
  if (schema === undefined || output.status === 'failed') return output;
  const { fault, value = null } = await wantedVerdict(
    scope,
    'wanted',
    'the result',
    schema,
    output.value ?? null,
  );
  if (fault === undefined) return { ...output, value };
  throw new AgentError(
    'skill.no-result',
    `"${scope.skill.name}" came to no result as it is wanted: ${fault}`,
    {
      hint: 'Want what its Output Format says, or have another skill make that of it.',
      details: { skill: scope.skill.name },
    },
  );
}
