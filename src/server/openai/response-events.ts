import {
  isJsonObject,
  toErrorData,
  type ErrorData,
  type Json,
  type JsonObject,
  type Usage,
} from '../../core/index.ts';
import { newId, type AnswerInProgress, type ShownCall } from './answer.ts';
import { openaiErrorBody } from './errors.ts';

/** The members of a response that never change. */
export interface ResponseHead {
  readonly id: string;
  /** The time in seconds since the Unix epoch. */
  readonly createdAt: number;
  /** The body of the request. */
  readonly body: JsonObject;
}

interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly output: readonly JsonObject[];
  readonly usage?: Usage;
  readonly error?: ErrorData;
}

/** Returns a response as clients get it. Pure. */
export function buildResponse(
  { id, createdAt, body }: ResponseHead,
  { status, output, usage, error }: ResponseState,
): JsonObject {
  const { conversation, reasoning, text, tools } = body;
  const isComplete = status === 'completed';
  const failure = error === undefined ? null : openaiErrorBody(error);
  return {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: isComplete ? Math.max(createdAt, Math.floor(Date.now() / 1_000)) : null,
    status,
    error: failure === null ? null : { code: failure['code'] ?? null, message: failure['message'] ?? '' },
    incomplete_details: null,
    background: body['background'] === true,
    conversation: typeof conversation === 'string' ? { id: conversation } : (conversation ?? null),
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: body['metadata'] ?? {},
    model: body['model'] ?? '',
    output,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...(isJsonObject(reasoning) ? reasoning : {}) },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: 'default',
    store: body['store'] !== false,
    temperature: body['temperature'] ?? 1,
    presence_penalty: body['presence_penalty'] ?? 0,
    frequency_penalty: body['frequency_penalty'] ?? 0,
    text: { format: { type: 'text' }, ...(isJsonObject(text) ? text : {}) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: Array.isArray(tools) ? (tools as readonly Json[]).map(shownTool) : [],
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: usage === undefined ? null : shownUsage(usage),
    user: body['user'] ?? null,
  };
}

function shownTool(tool: Json): Json {
  return isJsonObject(tool) ? { description: null, parameters: null, strict: null, ...tool } : tool;
}

function shownUsage({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): JsonObject {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/**
 * Yields the events of a response as server-sent events. `save` gets the response when it has ended, before its
 * last event.
 */
export async function* responseEvents(
  head: ResponseHead,
  answer: AnswerInProgress,
  save: (response: JsonObject, text: string) => Promise<void>,
): AsyncGenerator<string, void> {
  let sequence = 0;
  const event = (type: string, more: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`;
  const begun = buildResponse(head, { status: 'in_progress', output: [] });
  yield event('response.created', { response: begun });
  yield event('response.in_progress', { response: begun });
  const output: JsonObject[] = [];
  let text = '';
  try {
    const id = newId('msg');
    const at = { item_id: id, output_index: 0, content_index: 0 };
    for await (const piece of answer.text()) {
      if (text === '') {
        yield event('response.output_item.added', {
          output_index: 0,
          item: messageItem(id, 'in_progress', []),
        });
        yield event('response.content_part.added', { ...at, part: textPart('') });
      }
      text += piece;
      yield event('response.output_text.delta', { ...at, delta: piece, logprobs: [] });
    }
    const end = await answer.end();
    const isFailed = end.error !== undefined;
    if (text !== '') {
      const item = messageItem(id, isFailed ? 'incomplete' : 'completed', [textPart(text)]);
      output.push(item);
      yield event('response.output_text.done', { ...at, text, logprobs: [] });
      yield event('response.content_part.done', { ...at, part: textPart(text) });
      yield event('response.output_item.done', { output_index: 0, item });
    }
    for (const call of end.calls) {
      yield* callEvents(call, output.length, event);
      output.push(callItem(call, 'completed'));
    }
    const status =
      end.error === undefined ? 'completed' : end.error.code === 'usage.cancelled' ? 'cancelled' : 'failed';
    const { usage, error } = end;
    const response = buildResponse(head, {
      status,
      output,
      usage,
      ...(error === undefined ? {} : { error }),
    });
    await save(response, text);
    yield event(isFailed ? 'response.failed' : 'response.completed', { response });
  } catch (thrown) {
    yield event('response.failed', {
      response: buildResponse(head, { status: 'failed', output, error: toErrorData(thrown) }),
    });
  }
  yield 'data: [DONE]\n\n';
}

function* callEvents(
  call: ShownCall,
  index: number,
  event: (type: string, more: JsonObject) => string,
): Generator<string, void> {
  const at = { item_id: itemId(call), output_index: index };
  const item = callItem(call, 'in_progress');
  yield event('response.output_item.added', { output_index: index, item: { ...item, arguments: '' } });
  yield event('response.function_call_arguments.delta', { ...at, delta: call.arguments });
  yield event('response.function_call_arguments.done', { ...at, name: call.name, arguments: call.arguments });
  yield event('response.output_item.done', { output_index: index, item: callItem(call, 'completed') });
}

function messageItem(id: string, status: string, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function callItem({ id, name, arguments: given }: ShownCall, status: string): JsonObject {
  return { id: itemId({ id }), type: 'function_call', status, call_id: id, name, arguments: given };
}

function itemId({ id }: Pick<ShownCall, 'id'>): string {
  return id.replace(/^call_/, 'fc_');
}
