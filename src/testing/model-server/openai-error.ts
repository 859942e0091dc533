import type { JsonObject } from '../../core/json.ts';
import type { Fault } from './fault.ts';

const words: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  503: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
  529: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
};

/** What both protocols of OpenAI say about an error. */
export function buildOpenAIError({ status, message, code, tooLong }: Fault): JsonObject {
  const usual =
    words[status] ??
    (status < 500 ? { type: 'invalid_request_error', code: null } : { type: 'server_error', code: null });
  return {
    message,
    type: usual.type,
    param: tooLong === true ? 'messages' : null,
    code: code ?? (tooLong === true ? 'context_length_exceeded' : usual.code),
  };
}
