import assert from 'node:assert/strict';
import type { DefinedSkill } from '../../src/core/define-skill.ts';
import type { ErrorData } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { functionFamily } from '../../src/families/function/index.ts';
import { createTestScope, type TestScopeOptions } from '../../src/testing/test-scope.ts';

/** Calls a skill that was made in code as a run would: its input is checked, and what it throws is a failed output. */
export async function callMade(
  skill: DefinedSkill,
  input: Json,
  around: TestScopeOptions | Scope,
): Promise<Output> {
  const definition = functionFamily.adopt?.(skill);
  assert.ok(definition !== undefined);
  const scope = 'step' in around ? around : createTestScope(around);
  return functionFamily.execute(definition, functionFamily.input?.accept?.(definition, input) as Json, scope);
}

/** What a call gave; fails the test when the call failed. */
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
