import assert from 'node:assert/strict';
import type { DefinedSkill } from '../../src/core/define-skill.ts';
import type { ErrorData } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { functionFamily } from '../../src/families/function/index.ts';
import { createTestScope, type TestScopeOptions } from '../../src/testing/test-scope.ts';

/** Calls a skill that is defined in code, as a run would: checks its input, and turns what it throws into a failed output. */
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

/** The output of a call; fails the test if the call failed. */
export function doneOf(output: Output): Extract<Output, { status: 'done' }> {
  assert.equal(output.status, 'done', output.text);
  return output;
}

/** Why a call failed; fails the test when it did not. */
export function errorOf(output: Output): ErrorData {
  assert.equal(output.status, 'failed', output.text);
  return output.error;
}

/** Whether a rule with this in its brackets means an input. */
export function isMeant(skill: DefinedSkill, spec: string, input: Json, workspace = '/work'): boolean {
  const definition = functionFamily.adopt?.(skill);
  assert.ok(definition !== undefined);
  return functionFamily.permission?.describe?.(definition)?.matches?.(spec, input, workspace) === true;
}
