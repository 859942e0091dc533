import type { Json } from '../../../src/core/json.ts';

/** A call that an attacker makes. */
export interface Attempt {
  readonly name: string;
  readonly input: Json;
}

/** Creates an attempt that runs a shell command. */
export function command(text: string): Attempt {
  return { name: 'bash', input: { command: text } };
}
