import { AgentError, isAgentError } from '../../core/error.ts';
import { fitSchema } from '../../core/json/validate.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';

/** What a skill came to, by what its function returned; throws `skill.failed` for what does not fit the schema. Pure. */
export function buildOutput(
  returned: Json,
  {
    schema,
    name,
    file,
  }: { readonly schema: JsonObject | undefined; readonly name: string; readonly file: string },
): Output {
  const value = schema === undefined ? returned : fitting(returned, schema, { name, file });
  return { status: 'done', text: textOf(value), value };
}

function fitting(returned: Json, schema: JsonObject, { name, file }: { name: string; file: string }): Json {
  try {
    return fitSchema('what it returned', schema, returned);
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input') throw thrown;
    const faults = isJsonObject(thrown.details) ? thrown.details['faults'] : undefined;
    const named = Array.isArray(faults) ? faults.join('; ') : thrown.message;
    throw new AgentError(
      'skill.failed',
      `"${name}" returned something that does not fit its Output Format: ${named} (${file}).`,
      {
        hint: `Correct ${file}, or the Output Format.`,
        details: { faults: faults ?? [], skill: name },
        cause: thrown,
      },
    );
  }
}

/** A function that returns nothing has nothing to say. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}
