import { AgentError } from '../core/error.ts';
import type { Invocation } from './command.ts';

/** The value of a flag as a number from 0 up, fractions included; undefined when it is not given. */
export function amount(own: Invocation['own'], flag: string): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isFinite(number)) return number;
  throw new AgentError('usage.bad-input', `--${flag} is not a number from 0 up: "${value}".`, {
    hint: `Write it in digits, as in --${flag} 0.50.`,
  });
}
