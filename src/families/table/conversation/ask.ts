import { AgentError, isAgentError, optional, type Json } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';

/**
 * Asks the user a question that expires. Throws `policy.expired` if the user does not answer in time. In that
 * case, nothing has been changed.
 */
export async function ask(
  { scope, minutes }: Pick<TableContext, 'scope' | 'minutes'>,
  text: string,
  options?: readonly string[],
): Promise<Json> {
  const expires = (await scope.now()) + minutes * 60_000;
  try {
    return await scope.ask({ text, expires, ...optional('options', options) });
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'policy.expired') throw thrown;
    throw new AgentError('policy.expired', 'The question was not answered in time, so nothing was changed.', {
      hint: 'Make the request again.',
      cause: thrown,
    });
  }
}
