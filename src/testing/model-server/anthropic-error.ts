import type { JsonObject } from '../../core/json.ts';
import type { Fault } from './fault.ts';

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** What Anthropic says about an error. */
export function buildAnthropicError({ status, message, code, tooLong }: Fault): JsonObject {
  return {
    type: code ?? types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message: tooLong === true ? `prompt is too long: ${message}` : message,
  };
}
