import assert from 'node:assert/strict';
import { isAgentError } from '../../src/core/error.ts';

/** Returns the code of the `AgentError` that the promise rejects with. Fails the test if it resolves. */
export async function codeThrown(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(isAgentError(thrown), String(thrown));
  return thrown.code;
}
