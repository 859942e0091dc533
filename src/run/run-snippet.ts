import type { Snippet, SnippetResult } from '../core/snippet.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';

/** Runs a snippet for as long as its frame goes on; what runs them is opened with the first and closed with the agent. */
export async function runSnippet(
  { kernel }: Execution,
  frame: Frame,
  snippet: Snippet,
): Promise<SnippetResult> {
  const snippets = await kernel.keeper.keep('snippets', kernel.openSnippets);
  return snippets.run(snippet, frame.signal);
}
