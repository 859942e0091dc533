import { AgentError } from '../core/error.ts';
import { unsafeKeys } from '../core/json.ts';
import type { Snippet } from '../core/code.ts';
import type { SnippetOrder } from './snippet-wire.ts';

const identifier = /^[A-Za-z_$][\w$]*$/;
const longestMs = 2 ** 31 - 10_000; // timers cannot wait much longer
const leastMemory = 8 * 2 ** 20;
const mostCalls = 10_000;

/** A snippet with all its limits, as its process gets it. */
export function orderOf({ code, input, functions = {}, ...limits }: Snippet): SnippetOrder {
  const names = Object.keys(functions);
  for (const name of names) {
    if (!identifier.test(name) || unsafeKeys.has(name) || name === 'input' || name === 'console') {
      throw new AgentError('usage.bad-input', `No snippet can call a function by the name "${name}".`, {
        hint: 'Use letters, digits and _, without a digit in front; input and console are taken.',
      });
    }
  }
  return {
    code,
    input: JSON.stringify(input),
    names,
    timeoutMs: Math.min(limits.timeoutMs ?? 10_000, longestMs),
    memoryBytes: Math.max(limits.memoryBytes ?? 64 * 2 ** 20, leastMemory),
    mostOutput: limits.mostOutput ?? 1_000_000,
    mostCalls,
  };
}
