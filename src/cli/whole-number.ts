import { AgentError } from '../core/error.ts';
import type { Invocation } from './command.ts';

/** The value of a flag as a whole number; undefined when it is not given, `usage.bad-input` when it is anything else. */
export function wholeNumber(own: Invocation['own'], flag: string, least = 0): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new AgentError('usage.bad-input', `--${flag} is not a whole number from ${least} up: "${value}".`, {
    hint: `Write it in digits alone, as in --${flag} 100.`,
  });
}
