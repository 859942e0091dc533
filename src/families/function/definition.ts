import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Permission } from '../../core/policy.ts';
import type { Scope } from '../../core/scope.ts';

/** The function of a skill that was written in TypeScript. */
export interface FunctionDefinition {
  readonly permission: Permission;
  /** The input as the function takes it; throws `usage.bad-input`. */
  accept(input: Json): unknown;
  run(input: Json, scope: Scope): Promise<Output> | Output;
}
