import { isAgentError, toErrorData, type Output } from '../../core/index.ts';

/** What was thrown as a failure; a defect is thrown on. */
export function failedOutput(thrown: unknown): Extract<Output, { readonly status: 'failed' }> {
  if (!isAgentError(thrown)) throw thrown;
  const error = toErrorData(thrown);
  return { status: 'failed', text: error.message, error };
}
