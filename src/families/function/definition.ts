import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/output.ts';

/** The function of a skill that was written in TypeScript. */
export interface FunctionDefinition {
  run(input: Json): Promise<Output> | Output;
}
