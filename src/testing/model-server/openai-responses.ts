import { optional, type Json, type JsonObject } from '../../core/index.ts';
import { buildOpenAIError } from './openai-chat.ts';
import type { Protocol, WireEvent } from './protocol.ts';
import { interleave, type ModelServerReply, type ReplyCall } from './reply.ts';

/** OpenAI's Responses protocol. An answer consists of items, each with its own events. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  path: '/v1/responses',
  streamed(reply) {
    const items = buildItems(reply);
    const begun = buildResponse(reply, 'in_progress', []);
    const parts: readonly Unnumbered[] = [
      { type: 'response.created', more: { response: begun } },
      { type: 'response.in_progress', more: { response: begun } },
      ...itemEvents(items),
      {
        type: `response.${statusOf(reply)}`,
        more: { response: openaiResponses.whole(reply) },
        part: 'closing',
      },
    ];
    return parts.map(({ type, more, part }, number) => numberedEvent(type, number, more, part));
  },
  whole(reply) {
    const output = buildItems(reply).map((item) => item.done);
    const incomplete = incompleteReasonOf(reply);
    const status = reply.endWithoutFinish ? 'in_progress' : statusOf(reply);
    return {
      ...buildResponse(reply, status, output),
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      usage: usageOf(reply),
    };
  },
  errorBody: (fault) => ({ error: buildOpenAIError(fault) }),
  errorEvent(fault, sent) {
    const { code = null, message = null, param = null } = buildOpenAIError(fault);
    return numberedEvent('error', sent, { code, message, param });
  },
};

/** An event before its sequence number is added. */
interface Unnumbered {
  readonly type: string;
  readonly more: JsonObject;
  readonly part?: 'piece' | 'closing';
}

/**
 * Returns the events of all items. Reasoning and text are sent one after the other, whereas the events of
 * several calls are interleaved.
 */
function itemEvents(items: readonly Item[]): readonly Unnumbered[] {
  const placed = items.map((item, index) => indexItem(item, index));
  const calls = placed.filter(isCall);
  return [
    ...placed
      .filter((item) => !isCall(item))
      .flatMap(({ opening, pieces, ending }) => [...opening, ...pieces, ...ending]),
    ...calls.flatMap((call) => call.opening),
    ...interleave(calls.map((call) => call.pieces)),
    ...calls.flatMap((call) => call.ending),
  ];
}

function indexItem({ opening, pieces, ending, done }: Item, index: number): Item {
  const withIndex = (event: ItemEvent): ItemEvent => ({
    ...event,
    more: { output_index: index, ...event.more },
  });
  return {
    opening: opening.map(withIndex),
    pieces: pieces.map(withIndex),
    ending: ending.map(withIndex),
    done,
  };
}

function isCall({ done }: Item): boolean {
  return done['type'] === 'function_call';
}

function numberedEvent(
  type: string,
  number: number,
  more: JsonObject,
  part?: 'piece' | 'closing',
): WireEvent {
  return {
    name: type,
    text: JSON.stringify({ type, sequence_number: number, ...more }),
    ...optional('part', part),
  };
}

function buildResponse(
  { turn, model }: ModelServerReply,
  status: string,
  output: readonly Json[],
): JsonObject {
  return {
    id: `resp_${turn}`,
    object: 'response',
    created_at: 1_700_000_000 + turn,
    status,
    error: null,
    incomplete_details: null,
    model,
    output,
    usage: null,
  };
}

function statusOf(reply: ModelServerReply): 'completed' | 'incomplete' {
  return incompleteReasonOf(reply) === undefined ? 'completed' : 'incomplete';
}

function incompleteReasonOf({ reason, rawReason, text }: ModelServerReply): string | undefined {
  if (rawReason !== undefined) return rawReason;
  if (reason === 'length') return 'max_output_tokens';
  return reason === 'refused' && text === '' ? 'content_filter' : undefined;
}

function usageOf({
  usage: { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens },
}: ModelServerReply): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: cachedTokens,
      ...optional('cache_write_tokens', cacheWriteTokens),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** An item of a response, both as the events that stream it and as the completed object. */
interface Item {
  readonly opening: readonly ItemEvent[];
  readonly pieces: readonly ItemEvent[];
  readonly ending: readonly ItemEvent[];
  readonly done: JsonObject;
}

/** An event of an item, usually before the index of the item is added. */
interface ItemEvent {
  readonly type: string;
  readonly more: JsonObject;
  readonly part?: 'piece';
}

/** Builds items for the answer's reasoning, text and tool calls. */
function buildItems(reply: ModelServerReply): readonly Item[] {
  return [
    ...(reply.reasoning === '' ? [] : [buildReasoning(reply)]),
    ...(reply.text === '' ? [] : [buildMessage(reply)]),
    ...reply.calls.map((call) => buildFunctionCall(call)),
  ];
}

function buildReasoning({ turn, reasoning, reasoningPieces, signature, body }: ModelServerReply): Item {
  const position = { item_id: `rs_${turn}`, summary_index: 0 };
  const summary = { type: 'summary_text', text: reasoning };
  const item = { id: `rs_${turn}`, type: 'reasoning' };
  const includesReasoning =
    Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content');
  const done = {
    ...item,
    summary: [summary],
    ...optional('encrypted_content', includesReasoning ? signature : undefined),
  };
  return {
    done,
    opening: [
      { type: 'response.output_item.added', more: { item: { ...item, summary: [] } } },
      {
        type: 'response.reasoning_summary_part.added',
        more: { ...position, part: { type: 'summary_text', text: '' } },
      },
    ],
    pieces: piecesOf('response.reasoning_summary_text.delta', position, reasoningPieces),
    ending: [
      { type: 'response.reasoning_summary_text.done', more: { ...position, text: reasoning } },
      { type: 'response.reasoning_summary_part.done', more: { ...position, part: summary } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function buildMessage({ turn, text, textPieces, reason }: ModelServerReply): Item {
  const position = { item_id: `msg_${turn}`, content_index: 0 };
  const item = { id: `msg_${turn}`, type: 'message', role: 'assistant' };
  const kind = reason === 'refused' ? 'refusal' : 'output_text';
  const field = reason === 'refused' ? 'refusal' : 'text';
  const contentOf = (said: string): JsonObject =>
    kind === 'refusal' ? { type: kind, refusal: said } : { type: kind, text: said, annotations: [] };
  const done = { ...item, status: 'completed', content: [contentOf(text)] };
  return {
    done,
    opening: [
      { type: 'response.output_item.added', more: { item: { ...item, status: 'in_progress', content: [] } } },
      { type: 'response.content_part.added', more: { ...position, part: contentOf('') } },
    ],
    pieces: piecesOf(`response.${kind}.delta`, position, textPieces),
    ending: [
      { type: `response.${kind}.done`, more: { ...position, [field]: text } },
      { type: 'response.content_part.done', more: { ...position, part: contentOf(text) } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function buildFunctionCall({ id, name, arguments: text, pieces }: ReplyCall): Item {
  const position = { item_id: `fc_${id}` };
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  const done = { ...item, arguments: text, status: 'completed' };
  return {
    done,
    opening: [
      {
        type: 'response.output_item.added',
        more: { item: { ...item, arguments: '', status: 'in_progress' } },
      },
    ],
    pieces: piecesOf('response.function_call_arguments.delta', position, pieces),
    ending: [
      { type: 'response.function_call_arguments.done', more: { ...position, name, arguments: text } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function piecesOf(type: string, position: JsonObject, pieces: readonly string[]): readonly ItemEvent[] {
  return pieces.map((delta) => ({ type, more: { ...position, delta }, part: 'piece' }));
}
