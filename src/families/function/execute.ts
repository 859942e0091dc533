import { toErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/output.ts';
import type { FunctionDefinition } from './definition.ts';

/** Calls the function; whatever it throws becomes a failed output. */
export async function execute(definition: FunctionDefinition, input: Json): Promise<Output> {
  try {
    return await definition.run(input);
  } catch (thrown) {
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}
