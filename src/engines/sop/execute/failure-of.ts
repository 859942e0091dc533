import { isAgentError, reasonOf, toErrorData, type ErrorData } from '../../../core/error.ts';

/** What somebody else's code threw, as the failure that it is: never a defect of this package. */
export function failureOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  return { code: 'skill.failed', message: reasonOf(thrown) || 'unknown failure' };
}
