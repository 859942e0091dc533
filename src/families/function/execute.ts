import { isAgentError, toErrorData, type ErrorData, reasonOf } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { FunctionDefinition } from './definition.ts';

/** Calls the function; whatever it throws becomes a failed output. */
export async function execute(definition: FunctionDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    return await definition.run(input, scope);
  } catch (thrown) {
    const error = errorOf(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

/** What a function of somebody else throws is its own failure, not a defect of ours. */
function errorOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  const message = reasonOf(thrown);
  return { code: 'skill.failed', message, hint: 'Look into the function that the skill runs.' };
}
