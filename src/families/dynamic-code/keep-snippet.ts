import type { Scope } from '../../core/scope.ts';
import type { Snippet } from '../../core/code.ts';

/** Keeps a snippet with its run, and all that is needed to run it again; before it runs, so that it is there whatever it does. */
export function keepSnippet(
  { code, input, functions = {}, timeoutMs = 0, memoryBytes = 0 }: Snippet,
  turn: number,
  explanation: string,
  scope: Scope,
): void {
  scope.artifact({
    name: turn === 1 ? 'snippet.js' : `snippet-${turn}.js`,
    mediaType: 'text/javascript',
    text: code,
    data: {
      ...{ input, functions: Object.keys(functions), timeoutMs, memoryBytes },
      ...(explanation === '' ? {} : { explanation }),
    },
  });
}
