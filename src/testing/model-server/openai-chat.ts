import { isJsonObject, optional, type Json, type JsonObject } from '../../core/index.ts';
import type { ModelServerFault, Protocol, WireEvent } from './protocol.ts';
import { interleave, type ModelServerReply, type ReplyCall } from './reply.ts';

/**
 * OpenAI's Chat Completions protocol. Other providers also use it and add `reasoning_content`, which OpenAI
 * itself never sends.
 */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  streamed(reply) {
    const { reasoningPieces, textPieces, calls } = reply;
    const textField = isRefusal(reply) ? 'refusal' : 'content';
    return [
      deltaEvent(reply, { role: 'assistant', content: reply.text === '' ? null : '' }),
      ...reasoningPieces.map((piece) => deltaEvent(reply, { reasoning_content: piece }, 'piece')),
      ...textPieces.map((piece) => deltaEvent(reply, { [textField]: piece }, 'piece')),
      ...calls.map(({ id, name }, index) =>
        callEvent(reply, { index, id, type: 'function', function: { name, arguments: '' } }),
      ),
      ...interleave(
        calls.map(({ pieces }, index) =>
          pieces.map((piece) => callEvent(reply, { index, function: { arguments: piece } }, 'piece')),
        ),
      ),
      ...closingEvents(reply),
    ];
  },
  whole(reply) {
    const { text, reasoning, calls } = reply;
    const message = {
      role: 'assistant',
      content: text === '' || isRefusal(reply) ? null : text,
      refusal: isRefusal(reply) ? text : null,
      ...optional('reasoning_content', reasoning === '' ? undefined : reasoning),
      ...optional('tool_calls', calls.length === 0 ? undefined : calls.map(buildToolCall)),
    };
    const finish = reply.endWithoutFinish ? null : finishReasonOf(reply);
    return {
      ...headOf(reply, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage: usageOf(reply),
    };
  },
  errorBody: (fault) => ({ error: buildOpenAIError(fault) }),
  errorEvent: (fault) => ({ text: JSON.stringify({ error: buildOpenAIError(fault) }) }),
};

function closingEvents(reply: ModelServerReply): readonly WireEvent[] {
  const options = reply.body['stream_options'];
  const asksUsage = isJsonObject(options) && options['include_usage'] === true;
  const usage = { ...headOf(reply, 'chat.completion.chunk'), choices: [], usage: usageOf(reply) };
  return [
    chunkEvent(reply, { index: 0, delta: {}, finish_reason: finishReasonOf(reply) }, 'closing'),
    ...(asksUsage ? [{ text: JSON.stringify(usage), part: 'closing' } as const] : []),
    { text: '[DONE]', part: 'closing' },
  ];
}

function callEvent(reply: ModelServerReply, call: JsonObject, part?: 'piece'): WireEvent {
  return deltaEvent(reply, { tool_calls: [call] }, part);
}

function deltaEvent(reply: ModelServerReply, delta: JsonObject, part?: 'piece'): WireEvent {
  return chunkEvent(reply, { index: 0, delta, finish_reason: null }, part);
}

function chunkEvent(reply: ModelServerReply, choice: JsonObject, part?: 'piece' | 'closing'): WireEvent {
  const chunk = { ...headOf(reply, 'chat.completion.chunk'), choices: [choice] };
  return { text: JSON.stringify(chunk), ...optional('part', part) };
}

function buildToolCall({ id, name, arguments: text }: ReplyCall): Json {
  return { id, type: 'function', function: { name, arguments: text } };
}

function headOf({ turn, model }: ModelServerReply, object: string): JsonObject {
  return { id: `chatcmpl-${turn}`, object, created: 1_700_000_000 + turn, model };
}

/**
 * Whether an answer is a refusal with text. A refusal without text is sent with the finish reason
 * `content_filter` instead.
 */
function isRefusal({ reason, text }: ModelServerReply): boolean {
  return reason === 'refused' && text !== '';
}

function finishReasonOf(reply: ModelServerReply): string {
  const { reason, rawReason } = reply;
  if (rawReason !== undefined) return rawReason;
  if (reason === 'calls') return 'tool_calls';
  if (reason === 'length') return 'length';
  return reason === 'refused' && !isRefusal(reply) ? 'content_filter' : 'stop';
}

function usageOf({
  usage: { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens },
}: ModelServerReply): Json {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      ...optional('cache_write_tokens', cacheWriteTokens),
    },
  };
}

const errorTypes: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  503: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
  529: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
};

/** Builds an error object in OpenAI's format, which both of OpenAI's protocols use. */
export function buildOpenAIError({ status, message, code, tooLong }: ModelServerFault): JsonObject {
  const usual =
    errorTypes[status] ??
    (status < 500 ? { type: 'invalid_request_error', code: null } : { type: 'server_error', code: null });
  return {
    message,
    type: usual.type,
    param: tooLong === true ? 'messages' : null,
    code: code ?? (tooLong === true ? 'context_length_exceeded' : usual.code),
  };
}
