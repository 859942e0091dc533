import { optional, parseJson, type JsonObject } from '../../core/index.ts';
import type { ModelServerFault, Protocol, WireEvent } from './protocol.ts';
import type { ModelServerReply, ReplyCall } from './reply.ts';

/**
 * Anthropic's Messages protocol. An answer consists of content blocks, which never overlap.
 */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  streamed(reply) {
    return [
      event('message_start', {
        message: { ...headOf(reply), usage: { ...inputUsageOf(reply), output_tokens: 1 } },
      }),
      event('ping', {}),
      ...blocksOf(reply).flatMap(blockEvents),
      event(
        'message_delta',
        {
          delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
          usage: { output_tokens: reply.usage.outputTokens },
        },
        'closing',
      ),
      event('message_stop', {}, 'closing'),
    ];
  },
  whole(reply) {
    return {
      ...headOf(reply),
      content: blocksOf(reply).map((block) => block.whole),
      stop_reason: reply.endWithoutFinish ? null : stopReasonOf(reply),
      usage: { ...inputUsageOf(reply), output_tokens: reply.usage.outputTokens },
    };
  },
  errorBody: (fault) => ({ type: 'error', error: buildAnthropicError(fault), request_id: 'req_1' }),
  errorEvent: (fault) => event('error', { error: buildAnthropicError(fault) }),
};

interface Block {
  /** The block as sent in the `content_block_start` event, before it has content. */
  readonly empty: JsonObject;
  readonly deltas: readonly { readonly delta: JsonObject; readonly part?: 'piece' }[];
  readonly whole: JsonObject;
}

function blockEvents({ empty, deltas }: Block, index: number): readonly WireEvent[] {
  return [
    event('content_block_start', { index, content_block: empty }),
    ...deltas.map(({ delta, part }) => event('content_block_delta', { index, delta }, part)),
    event('content_block_stop', { index }),
  ];
}

function blocksOf({
  reasoning,
  reasoningPieces,
  signature,
  text,
  textPieces,
  calls,
}: ModelServerReply): readonly Block[] {
  const thinking: Block = {
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...reasoningPieces.map(
        (piece) => ({ delta: { type: 'thinking_delta', thinking: piece }, part: 'piece' }) as const,
      ),
      { delta: { type: 'signature_delta', signature } },
    ],
    whole: { type: 'thinking', thinking: reasoning, signature },
  };
  const answer: Block = {
    empty: { type: 'text', text: '' },
    deltas: textPieces.map((piece) => ({ delta: { type: 'text_delta', text: piece }, part: 'piece' })),
    whole: { type: 'text', text },
  };
  return [
    ...(reasoning === '' ? [] : [thinking]),
    ...(text === '' ? [] : [answer]),
    ...calls.map(buildToolUse),
  ];
}

/**
 * Builds a tool call. If the answer is not streamed, arguments that are invalid JSON are sent as a string.
 */
function buildToolUse({ id, name, arguments: text, pieces }: ReplyCall): Block {
  const head = { type: 'tool_use', id, name };
  return {
    empty: { ...head, input: {} },
    deltas: [
      { delta: { type: 'input_json_delta', partial_json: '' } },
      ...pieces.map(
        (piece) => ({ delta: { type: 'input_json_delta', partial_json: piece }, part: 'piece' }) as const,
      ),
    ],
    whole: { ...head, input: parseJson(text) ?? text },
  };
}

function event(type: string, more: JsonObject, part?: 'piece' | 'closing'): WireEvent {
  return { name: type, text: JSON.stringify({ type, ...more }), ...optional('part', part) };
}

function headOf({ turn, model }: ModelServerReply): JsonObject {
  return {
    id: `msg_${turn}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function stopReasonOf({ reason, rawReason }: ModelServerReply): string {
  if (rawReason !== undefined) return rawReason;
  if (reason === 'calls') return 'tool_use';
  if (reason === 'length') return 'max_tokens';
  return reason === 'refused' ? 'refusal' : 'end_turn';
}

/**
 * Returns the input token counts. Anthropic's `input_tokens` excludes tokens that are read from or written to
 * the cache.
 */
function inputUsageOf({ usage }: ModelServerReply): JsonObject {
  const { inputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
  };
}

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

/** Builds an error object in Anthropic's format. */
function buildAnthropicError({ status, message, code, tooLong }: ModelServerFault): JsonObject {
  return {
    type: code ?? types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message: tooLong === true ? `prompt is too long: ${message}` : message,
  };
}
