import type { Json, JsonObject } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import { buildOpenAIError } from './openai-error.ts';
import { buildItems, type Item, type ItemEvent } from './openai-items.ts';
import { interleave } from './pieces.ts';
import type { Protocol, WireEvent } from './protocol.ts';
import type { Reply } from './reply.ts';

/** The responses protocol of OpenAI: an answer is a list of items, each with events of its own. */
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

/** An event before its number in the stream is known. */
interface Unnumbered {
  readonly type: string;
  readonly more: JsonObject;
  readonly part?: 'piece' | 'closing';
}

/** Reasoning and text come one after the other; calls come all at once, and end in their order. */
function itemEvents(items: readonly Item[]): readonly Unnumbered[] {
  const placed = items.map((item, index) => placeItem(item, index));
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

function placeItem({ opening, pieces, ending, done }: Item, index: number): Item {
  const place = (event: ItemEvent): ItemEvent => ({ ...event, more: { output_index: index, ...event.more } });
  return { opening: opening.map(place), pieces: pieces.map(place), ending: ending.map(place), done };
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

function buildResponse({ turn, model }: Reply, status: string, output: readonly Json[]): JsonObject {
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

function statusOf(reply: Reply): 'completed' | 'incomplete' {
  return incompleteReasonOf(reply) === undefined ? 'completed' : 'incomplete';
}

function incompleteReasonOf({ reason, rawReason, text }: Reply): string | undefined {
  if (rawReason !== undefined) return rawReason;
  if (reason === 'length') return 'max_output_tokens';
  return reason === 'refused' && text === '' ? 'content_filter' : undefined;
}

function usageOf({ usage: { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens } }: Reply): Json {
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
