import { detach } from '../core/detach.ts';
import { fromErrorData } from '../core/error.ts';
import type { Snippet, SnippetResult } from '../core/snippet.ts';
import { skillError } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey } from './identity.ts';
import { once } from './step.ts';

/**
 * Runs a snippet as a step: what it came to, or why it failed, is kept and given again, so that it never runs twice for a
 * value. Its functions use the scope as they like; what runs snippets is opened with the first and closed with the agent.
 */
export async function runSnippet(
  execution: Execution,
  frame: Frame,
  snippet: Snippet,
): Promise<SnippetResult> {
  const { functions, ...request } = snippet;
  const names = Object.keys(functions ?? {});
  const key = frame.occurrence(contentKey('snippet', [request, names]));
  const { value, error } = await once(execution, frame, {
    key,
    request: null, // the key says it all
    mayWait: names.length > 0,
    started: (begun) => ({ event: { type: 'step.started', ...begun } }),
    effect: async () => {
      try {
        const { keeper, openSnippets } = execution.kernel;
        const snippets = await keeper.keep('snippets', openSnippets);
        const made = await snippets.run(snippet, frame.signal);
        return { type: 'step.ended', key, value: execution.clean(made) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(skillError(thrown)) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value) as unknown as SnippetResult;
}
