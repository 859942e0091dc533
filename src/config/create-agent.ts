import type { ZodType } from 'zod';
import type { AgentOptions } from '../agent/options.ts';
import type { AgentTool } from '../agent/tools.ts';
import { RecursiveSkilledAgent } from './preset.ts';

/** The options of `createAgent`. The inputs of inline tools get their types from their schemas. */
export interface AgentSetup<Schemas extends Readonly<Record<string, ZodType>>> extends Omit<
  AgentOptions,
  'tools'
> {
  readonly tools?: { readonly [Name in keyof Schemas]: AgentTool<Schemas[Name]> };
}

/** Creates an agent with the built-in families and skills. The same as `new RecursiveSkilledAgent(options)`. */
export function createAgent<Schemas extends Readonly<Record<string, ZodType>>>(
  options: AgentSetup<Schemas> = {},
): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent(options as AgentOptions);
}
