import { AgentError, isAgentError, optional, type Json } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';

/** Asks a person something that stays open for a while; throws `policy.expired` when nobody answered, with nothing changed. */
export async function ask(
  { scope, minutes }: Pick<Ground, 'scope' | 'minutes'>,
  text: string,
  options?: readonly string[],
): Promise<Json> {
  const expires = (await scope.now()) + minutes * 60_000;
  try {
    return await scope.ask({ text, expires, ...optional('options', options) });
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'policy.expired') throw thrown;
    throw new AgentError('policy.expired', 'Nobody answered in time, so nothing was changed.', {
      hint: 'Say it again.',
      cause: thrown,
    });
  }
}
