import {
  AgentError,
  isAgentError,
  isJsonObject,
  toErrorData,
  type Output,
  type Scope,
} from '../../core/index.ts';

/** Converts a thrown error to a failed output. Errors that are bugs are rethrown. */
export function failedOutput(thrown: unknown): Extract<Output, { readonly status: 'failed' }> {
  if (!isAgentError(thrown)) throw thrown;
  const error = toErrorData(thrown);
  return { status: 'failed', text: error.message, error };
}

/** Creates the error for a request that the user declined. */
export function declinedError(): AgentError {
  return new AgentError('usage.cancelled', 'Cancelled. Nothing was changed.', {
    details: { outcome: 'declined' },
  });
}

/**
 * Converts a thrown error to a request's output. If users decline their own request, the output has the
 * status `done`. If they decline a skill's request, the output is a failure, so that the skill does not rely
 * on the change.
 */
export function endedOutput(thrown: unknown, { run }: Pick<Scope, 'run'>): Output {
  const output = failedOutput(thrown);
  const { details } = output.error;
  const isDeclined = isJsonObject(details) && details['outcome'] === 'declined';
  return isDeclined && run.depth === 1 ? { status: 'done', text: output.text, value: details } : output;
}
