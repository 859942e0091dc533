import { AgentError, reasonOf } from '../../core/error.ts';
import { fitSchema } from '../../core/fit-schema.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/output.ts';
import type { Scope } from '../../core/scope.ts';

/** The output of a skill whose value is what its caller wants; throws `skill.no-result` where it is not. Kept, so that a replay gives the same. */
export async function fitWanted(output: Output, { wanted, step, skill }: Scope): Promise<Output> {
  const { result: schema, check = (value: Json) => value } = wanted;
  if (schema === undefined || output.status === 'failed') return output;
  const { fault, value = null } = await step<Verdict>('wanted', async () => {
    try {
      return { value: await check(fitSchema('the result', schema, output.value ?? null)) };
    } catch (thrown) {
      return { fault: reasonOf(thrown) };
    }
  });
  if (fault === undefined) return { ...output, value };
  throw new AgentError('skill.no-result', `"${skill.name}" came to no result as it is wanted: ${fault}`, {
    hint: 'Want what its Output Format says, or have another skill make that of it.',
  });
}

/** A type and no interface, so that it is JSON. */
type Verdict = { value?: Json; fault?: string };
