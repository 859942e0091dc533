import { AgentError, type ErrorData, type JsonObject } from '../../core/index.ts';
import { statusOf } from '../problem.ts';

/** Writes an error in the form of OpenAI's API. Our code is the `code`. */
export function openaiError(error: ErrorData, headers: Readonly<Record<string, string>> = {}): Response {
  const status = statusOf(error);
  return Response.json(
    { error: openaiErrorBody(error) },
    {
      status: status === 499 ? 409 : status,
      headers: {
        ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
        ...(status === 503 || status === 429 ? { 'retry-after': '5' } : retriesNothing),
        ...headers,
      },
    },
  );
}

// OpenAI's clients repeat requests with some statuses. A run that failed must not run again by itself.
const retriesNothing = { 'x-should-retry': 'false' };

/** Returns the `error` member of a response. An error of the server itself says nothing about the machine. */
export function openaiErrorBody(error: ErrorData): JsonObject {
  const { code, message, hint } = error;
  const status = statusOf(error);
  const isOurs = code === 'internal.bug';
  const text = hint === undefined ? message : `${message} ${hint}`;
  return {
    message: isOurs ? 'The server failed unexpectedly.' : text,
    type: types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: null,
    code,
  };
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** Creates the error for a request that is not valid. */
export function badRequest(
  message: string,
  hint = 'Compare the request with the guide "OpenAI clients".',
): AgentError {
  return new AgentError('usage.bad-input', message, { hint });
}
