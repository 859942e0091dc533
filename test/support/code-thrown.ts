import assert from 'node:assert/strict';
import { isAgentError } from '../../src/core/error.ts';

/** The code of the error that some work fails with. */
export async function codeThrown(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(isAgentError(thrown), String(thrown));
  return thrown.code;
}
