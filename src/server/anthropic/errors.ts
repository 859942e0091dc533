import { isJsonObject, optional, type ErrorData } from '../../core/index.ts';
import { statusOf } from '../problem.ts';

/** The body of an error in the Messages API, with the code and the hint of our errors. */
export interface AnthropicError {
  readonly type: 'error';
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: string;
    readonly hint?: string;
  };
  readonly request_id: string | null;
}

/** Converts an error to the form of the Messages API. Pure. */
export function anthropicError(error: ErrorData): AnthropicError {
  const { code, message, hint, details } = error;
  // A fault of this program can contain paths and other internals of the machine.
  const isOurs = code === 'internal.bug';
  const runId = isJsonObject(details) ? details['runId'] : undefined;
  return {
    type: 'error',
    error: {
      type: typeOf(statusOf(error)),
      message: isOurs ? 'The server failed unexpectedly.' : message,
      code,
      ...(isOurs ? {} : optional('hint', hint)),
    },
    request_id: typeof runId === 'string' ? runId : null,
  };
}

/** Responds with an error in the form of the Messages API. */
export function refuseAnthropic(error: ErrorData, headers: Readonly<Record<string, string>>): Response {
  const status = statusOf(error);
  const shown = status === 503 ? overloaded : status;
  return Response.json(anthropicError(error), {
    status: shown,
    headers: {
      ...(shown === overloaded || shown === 429 ? { 'retry-after': '5' } : {}),
      ...(isRunError(error) ? { 'x-should-retry': 'false' } : {}),
      ...headers,
    },
  });
}

const overloaded = 529;

/** Whether a run failed. A client must not repeat it by itself, because it may have had effects. */
function isRunError({ details }: ErrorData): boolean {
  return isJsonObject(details) && typeof details['runId'] === 'string';
}

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
