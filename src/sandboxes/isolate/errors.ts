import { AgentError } from '../../core/index.ts';
import type { SnippetFailure, SnippetOrder } from './protocol.ts';

/** A failure in words from which a model can mend its code; what the snippet had logged is kept in `details.log`. */
export function snippetFault(failure: SnippetFailure, order: SnippetOrder, log: string): AgentError {
  const { code, message, hint } = wordsOf(failure, order);
  return new AgentError(code, message, { hint, ...(log === '' ? {} : { details: { log } }) });
}

/** The process of a snippet went, and nobody knows why. */
export function brokenSnippet(): AgentError {
  return new AgentError('skill.failed', 'The snippet broke the engine that ran it.', {
    hint: 'Write it in a plainer way that needs less memory.',
  });
}

/** A snippet that is still running when its runner is closed. */
export function closedSnippets(): AgentError {
  return new AgentError('sandbox.unavailable', 'Snippets are not run any more: their runner is closed.');
}

function wordsOf(
  { kind, message = '', line }: SnippetFailure,
  { timeoutMs, memoryBytes, mostOutput }: SnippetOrder,
): { readonly code: AgentError['code']; readonly message: string; readonly hint: string } {
  const where = line === undefined ? '' : ` in line ${line}`;
  switch (kind) {
    case 'syntax':
      return {
        code: 'skill.failed',
        message: `The snippet cannot be read${where}: ${message}`,
        hint: 'It is the body of an async function of input, in JavaScript: without import and export, and it ends with return.',
      };
    case 'threw':
      return {
        code: 'skill.failed',
        message: `The snippet failed${where}: ${message}`,
        hint: 'Correct the code. It has the language and the functions that it was given: no timers, files, network or modules.',
      };
    case 'waits':
      return {
        code: 'skill.failed',
        message: 'The snippet waits for something that never comes.',
        hint: 'Await only the functions that it was given. There are no timers.',
      };
    case 'time':
      return {
        code: 'limit.time',
        message: `The snippet took longer than ${timeoutMs / 1000} seconds.`,
        hint: 'Look for a loop that does not end, do less, or allow more time.',
      };
    case 'memory':
      return {
        code: 'limit.too-large',
        message: `The snippet needed more than ${Math.round(memoryBytes / 2 ** 20)} MiB of memory.`,
        hint: 'Keep less at once, or allow more memory.',
      };
    case 'output':
      return {
        code: 'limit.too-large',
        message: `The value of the snippet is too long: ${message} At most ${mostOutput} are kept.`,
        hint: 'Return a part or a summary of it.',
      };
  }
}
