import { AgentError } from '../../core/index.ts';
import type { SnippetFailure, SnippetOrder } from './protocol.ts';

/**
 * Creates the error for a failed snippet, so that a model can fix its code. `details.log` contains the log.
 */
export function snippetFault(failure: SnippetFailure, order: SnippetOrder, log: string): AgentError {
  const { code, message, hint } = describeFailure(failure, order);
  return new AgentError(code, message, { hint, ...(log === '' ? {} : { details: { log } }) });
}

/** Creates the error for a snippet whose process ended for an unknown reason. */
export function brokenSnippet(): AgentError {
  return new AgentError('skill.failed', 'The snippet crashed the engine that ran it.', {
    hint: 'Simplify the snippet, and use less memory.',
  });
}

/** Creates the error for a snippet that is still running when its runner is closed. */
export function closedSnippets(): AgentError {
  return new AgentError('sandbox.unavailable', 'The snippet runner is closed and accepts no more snippets.');
}

function describeFailure(
  { kind, message = '', line }: SnippetFailure,
  { timeoutMs, memoryBytes, maxOutput }: SnippetOrder,
): { readonly code: AgentError['code']; readonly message: string; readonly hint: string } {
  const where = line === undefined ? '' : ` in line ${line}`;
  switch (kind) {
    case 'syntax':
      return {
        code: 'skill.failed',
        message: `The snippet has a syntax error${where}: ${message}`,
        hint: 'Write the body of an async JavaScript function with the parameter input: no import or export, and a return at the end.',
      };
    case 'threw':
      return {
        code: 'skill.failed',
        message: `The snippet failed${where}: ${message}`,
        hint: 'Fix the code. It can use JavaScript and the functions it was given, but not timers, files, the network or modules.',
      };
    case 'waits':
      return {
        code: 'skill.failed',
        message: 'The snippet waits for a promise that never settles.',
        hint: 'Await only the functions given to the snippet. Timers are not available.',
      };
    case 'time':
      return {
        code: 'limit.time',
        message: `The snippet took longer than ${timeoutMs / 1000} seconds.`,
        hint: 'Look for an endless loop, do less work, or raise the time limit.',
      };
    case 'memory':
      return {
        code: 'limit.too-large',
        message: `The snippet needed more than ${Math.round(memoryBytes / 2 ** 20)} MiB of memory.`,
        hint: 'Keep less data in memory at a time, or raise the memory limit.',
      };
    case 'output':
      return {
        code: 'limit.too-large',
        message: `The snippet's return value is too long: ${message} The limit is ${maxOutput}.`,
        hint: 'Return only part of the value, or a summary of it.',
      };
  }
}
