import type { Invocation } from './command.ts';

/** The text behind a flag; undefined when it is not given. */
export function textFlag(own: Invocation['own'], flag: string): string | undefined {
  const value = own[flag];
  return typeof value === 'string' ? value : undefined;
}
