import assert from 'node:assert/strict';
import type { DefinedSkill } from '../../src/core/define-skill.ts';
import type { ErrorData } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { functionFamily } from '../../src/families/function/index.ts';
import { createTestScope, type TestScopeOptions } from '../../src/testing/test-scope.ts';

/**
 * Calls a skill that is defined in code as a run would: checks its input and returns a thrown error as a
 * failed output.
 */
export async function callBuiltin(
  skill: DefinedSkill,
  input: Json,
  options: TestScopeOptions | { readonly scope: Scope },
): Promise<Output> {
  const definition = functionFamily.adopt?.(skill);
  assert.ok(definition !== undefined);
  const scope = 'scope' in options ? options.scope : createTestScope(options);
  return functionFamily.execute(definition, functionFamily.input?.accept?.(definition, input) as Json, scope);
}

/** Returns the output of a successful call. Fails the test if the call failed. */
export function doneOf(output: Output): Extract<Output, { status: 'done' }> {
  assert.equal(output.status, 'done', output.text);
  return output;
}

/** Returns the error of a failed call. Fails the test if the call succeeded. */
export function errorOf(output: Output): ErrorData {
  assert.equal(output.status, 'failed', output.text);
  return output.error;
}

/** Returns whether a permission rule with `spec` in its brackets matches this input. */
export function isMeant(skill: DefinedSkill, spec: string, input: Json, workspace = '/work'): boolean {
  const definition = functionFamily.adopt?.(skill);
  assert.ok(definition !== undefined);
  return functionFamily.permission?.describe?.(definition)?.matches?.(spec, input, workspace) === true;
}
