import { toErrorData, type JsonObject, type Usage } from '../../core/index.ts';
import type { Caller } from '../caller.ts';
import { readTurn, type ResponseOutcome } from '../chat/read-turn.ts';
import { beginTurn, type BegunTurn } from '../chat/take-turn.ts';
import { streamText } from '../chat/text-stream.ts';
import type { ServerContext } from '../route-group.ts';
import { anthropicError } from './errors.ts';
import type { MessageRequest } from './read-request.ts';

/** Answers a request for a message: with the whole message, or with a stream of its events. */
export async function createMessage(
  context: ServerContext,
  caller: Caller,
  message: MessageRequest,
  signal: AbortSignal,
): Promise<Response> {
  const gone = new AbortController();
  const begun = await beginTurn(context, caller, message, AbortSignal.any([signal, gone.signal]));
  const turn = readTurn(context, begun, {
    isStructured: message.result !== undefined,
    nextAddress: message.nextAddress,
  });
  const headers = { 'request-id': begun.handle.id, 'skilled-run': begun.handle.id };
  if (message.isStream)
    return streamText(eventsOf(begun, message, turn), {
      ping: eventText('ping', {}),
      onGone: () => gone.abort(),
      headers,
    });
  let text = '';
  for (;;) {
    const { done, value } = await turn.next();
    if (done !== true) text += value;
    else {
      const said = text === '' ? [] : [{ type: 'text', text, citations: null }];
      const content = [...said, ...value.calls.map((call) => ({ type: 'tool_use', ...call }))];
      const whole = { ...headOf(begun, message), content, ...stopOf(value), usage: usageOf(value.usage) };
      return Response.json(whole, { headers });
    }
  }
}

type Turn = AsyncGenerator<string, ResponseOutcome>;

/** Yields the events of a streamed message. An error of the run ends the stream. */
async function* eventsOf(
  begun: BegunTurn,
  message: MessageRequest,
  turn: Turn,
): AsyncGenerator<string, void> {
  const usage = { ...usageOf({ inputTokens: 0, outputTokens: 0 }) };
  yield eventText('message_start', { message: { ...headOf(begun, message), usage } }) + eventText('ping', {});
  let isOpen = false;
  try {
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) {
        yield [
          ...(isOpen ? [eventText('content_block_stop', { index: 0 })] : []),
          ...value.calls.flatMap((call, at) => callEvents(call, at + (isOpen ? 1 : 0))),
          eventText('message_delta', { delta: stopOf(value), usage: usageOf(value.usage) }),
          eventText('message_stop', {}),
        ].join('');
        return;
      }
      if (value === '') continue;
      const delta = eventText('content_block_delta', {
        index: 0,
        delta: { type: 'text_delta', text: value },
      });
      const start = { index: 0, content_block: { type: 'text', text: '', citations: null } };
      yield isOpen ? delta : eventText('content_block_start', start) + delta;
      isOpen = true;
    }
  } catch (thrown) {
    yield eventText('error', anthropicError(toErrorData(thrown)) as unknown as JsonObject);
  }
}

/** Returns the events of a block with a call of a client's tool. */
function callEvents({ id, name, input }: ResponseOutcome['calls'][number], index: number): readonly string[] {
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  return [
    eventText('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } }),
    eventText('content_block_delta', { index, delta }),
    eventText('content_block_stop', { index }),
  ];
}

function eventText(type: string, more: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

function headOf({ handle, after }: BegunTurn, { model }: MessageRequest): JsonObject {
  return {
    id: `msg_${handle.id}${after === 0 ? '' : `_${after}`}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  };
}

function stopOf(outcome: ResponseOutcome): JsonObject {
  return { stop_reason: stopReasonOf(outcome), stop_sequence: null };
}

function stopReasonOf({ result: { status }, reason, calls }: ResponseOutcome): string {
  if (calls.length > 0) return 'tool_use';
  if (status === 'done' && reason === 'length') return 'max_tokens';
  return status === 'done' && reason === 'refused' ? 'refusal' : 'end_turn';
}

/** Returns usage as the Messages API counts it: input tokens without those of a cache. */
function usageOf({ inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage): JsonObject {
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_creation: null,
    server_tool_use: null,
    service_tier: null,
  };
}
