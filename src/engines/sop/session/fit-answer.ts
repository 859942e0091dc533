import { AgentError, reasonOf } from '../../../core/error.ts';
import { fitSchema } from '../../../core/json/validate.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Output } from '../../../core/run.ts';
import type { Scope } from '../../../core/scope.ts';

/**
 * The output of a plan whose answer fits what is wanted, or what its file says; throws `skill.no-result` for one that
 * does not. A verdict is kept, so that a replay gives the same one.
 */
export async function fitAnswer(output: Output, scope: Scope): Promise<Output> {
  const schema = scope.wanted.result ?? scope.skill.card.output;
  if (output.status === 'failed' || schema === undefined) return output;
  const answer = output.value ?? output.text;
  const { fault, value = null } = await scope.step<Verdict>('answer', () => judge(answer, schema, scope));
  if (fault === undefined) return { ...output, value };
  throw new AgentError(
    'skill.no-result',
    `"${scope.skill.name}" came to no result as it is wanted: ${fault}`,
    {
      hint: 'Have the plan answer with what is wanted, or ask for something simpler.',
    },
  );
}

/** A type and no interface, so that it is JSON. */
type Verdict = { value?: Json; fault?: string };

async function judge(answer: Json, schema: JsonObject, { wanted }: Scope): Promise<Verdict> {
  const { check = (value: Json) => value } = wanted;
  try {
    return { value: await check(fitSchema('the answer', schema, answer)) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}
