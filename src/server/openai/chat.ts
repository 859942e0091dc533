import {
  isJsonObject,
  toErrorData,
  userKey,
  type Json,
  type JsonObject,
  type Usage,
} from '../../core/index.ts';
import { findOwnRun } from '../rest/own-runs.ts';
import {
  beginAnswer,
  digestOf,
  newId,
  type AnswerInProgress,
  type AnswerEnd,
  type AnswerRequest,
} from './answer.ts';
import { badRequest, openaiError, openaiErrorBody } from './errors.ts';
import { eventResponse } from './event-body.ts';
import { functionType } from './client-calls.ts';
import type { ConversationItem } from './conversation-item.ts';
import { readMessages, splitConversation, type SplitConversation } from './items.ts';
import {
  mayWrite,
  readEffort,
  readFormat,
  readObject,
  readTools,
  sessionFor,
  skillOf,
  waitingIn,
  type OpenAiCall,
} from './request.ts';

const sessionHeader = 'x-skilled-session';

/** Answers `POST /chat/completions`. */
export async function createChatCompletion(call: OpenAiCall): Promise<Response> {
  mayWrite(call);
  const { context, caller, request } = call;
  const body = await readObject(request);
  const { model, stream, stream_options: options, n } = body;
  if (n !== undefined && n !== null && n !== 1)
    throw badRequest('"n" must be 1.', 'Send one request for each answer.');
  const turn = await readTurn(call, body);
  const gone = new AbortController();
  const signal = AbortSignal.any([request.signal, gone.signal]);
  const answer = await beginAnswer(context, caller, turn, signal);
  const shown: Shown = {
    head: { id: newId('chatcmpl'), created: Math.floor(Date.now() / 1_000), model: model as string },
    answer,
    remember: (end, text) => rememberWaiting(call, turn, { answer, end, text }),
  };
  if (stream !== true) return await wholeAnswer(shown);
  const includesUsage = isJsonObject(options) && options['include_usage'] === true;
  return eventResponse(chunks(shown, includesUsage), { abort: () => gone.abort(), closing: context.closing });
}

interface ChatRequest extends AnswerRequest {
  /** The whole conversation, if the client keeps it. */
  readonly items: readonly ConversationItem[] | undefined;
}

async function readTurn(call: OpenAiCall, body: JsonObject): Promise<ChatRequest> {
  const { caller, request } = call;
  const {
    model,
    messages,
    tools,
    tool_choice: choice,
    response_format: format,
    reasoning_effort: effort,
  } = body;
  const skill = skillOf(call, model);
  const items = readMessages(messages);
  const conversation = splitConversation(items);
  const named = request.headers.get(sessionHeader) ?? undefined;
  const { prompt, attachments, instructions, results } = conversation;
  return {
    skill,
    prompt,
    attachments,
    instructions,
    results,
    tools: readTools(tools, choice),
    schema: readFormat(format),
    effort: readEffort(effort),
    ...(named === undefined
      ? { ...(await statelessSession(call, conversation)), items }
      : await namedSession(call, sessionFor(caller, named))),
  };
}

type SessionPart = Pick<ChatRequest, 'session' | 'waiting' | 'earlier' | 'items'>;

async function namedSession(call: OpenAiCall, session: string): Promise<SessionPart> {
  return { session, earlier: [], waiting: await waitingIn(call, session), items: undefined };
}

/** Finds the run that waits for the last message, by what was said before it, or begins a session. */
async function statelessSession(
  call: OpenAiCall,
  conversation: SplitConversation,
): Promise<Omit<SessionPart, 'items'>> {
  const { context, caller } = call;
  const store = await context.agent.runs.store();
  const known = await store.get(waitingSpace, waitingKey(call, conversation.before));
  const run =
    typeof known === 'string' ? await findOwnRun(context, caller, known).catch(() => undefined) : undefined;
  if (run?.status === 'waiting')
    return { session: run.session, waiting: run.id, earlier: conversation.earlier };
  return { session: sessionFor(caller, undefined), waiting: undefined, earlier: conversation.earlier };
}

const waitingSpace = 'openai/waiting';
const storedMs = 30 * 86_400_000;

/** Returns the key of a waiting run: a hash of who asks, and of everything that was said. */
function waitingKey({ caller }: OpenAiCall, items: readonly ConversationItem[]): string {
  const said = items.flatMap((item): Json[] => {
    if (item.kind === 'system') return [];
    if (item.kind === 'call') return [[item.kind, item.id]];
    return [[item.kind, item.text.trim(), item.kind === 'result' ? item.id : '']];
  });
  return digestOf([userKey(caller.user?.id) ?? '', said]);
}

interface Ended {
  readonly answer: AnswerInProgress;
  readonly end: AnswerEnd;
  readonly text: string;
}

async function rememberWaiting(
  call: OpenAiCall,
  { items }: ChatRequest,
  { answer, end, text }: Ended,
): Promise<void> {
  if (!end.isWaiting || items === undefined || end.calls.length > 0) return;
  const store = await call.context.agent.runs.store();
  const key = waitingKey(call, [...items, { kind: 'assistant', text }]);
  await store.set(waitingSpace, key, answer.runId, storedMs);
}

interface Shown {
  readonly head: { readonly id: string; readonly created: number; readonly model: string };
  readonly answer: AnswerInProgress;
  readonly remember: (end: AnswerEnd, text: string) => Promise<void>;
}

async function wholeAnswer({ head, answer, remember }: Shown): Promise<Response> {
  let text = '';
  for await (const piece of answer.text()) text += piece;
  const end = await answer.end();
  if (end.error !== undefined) return openaiError(end.error, { 'skilled-run': answer.runId });
  await remember(end, text);
  const calls = end.calls.map(({ id, name, arguments: given }) => ({
    id,
    type: functionType,
    function: { name, arguments: given },
  }));
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: reasonOf(end) };
  return Response.json(
    { ...head, object: 'chat.completion', choices: [choice], usage: chatUsage(end.usage) },
    { headers: { 'skilled-run': answer.runId } },
  );
}

async function* chunks(
  { head, answer, remember }: Shown,
  includesUsage: boolean,
): AsyncGenerator<string, void> {
  const chunk = (delta: JsonObject, reason: string | null = null): string =>
    line({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...(includesUsage ? { usage: null } : {}),
    });
  yield chunk({ role: 'assistant', content: '' });
  try {
    let text = '';
    for await (const piece of answer.text()) {
      text += piece;
      yield chunk({ content: piece });
    }
    const end = await answer.end();
    if (end.error !== undefined) {
      yield line({ error: openaiErrorBody(end.error) });
      return;
    }
    await remember(end, text);
    for (const [index, { id, name, arguments: given }] of end.calls.entries())
      yield chunk({ tool_calls: [{ index, id, type: functionType, function: { name, arguments: given } }] });
    yield chunk({}, reasonOf(end));
    if (includesUsage)
      yield line({ ...head, object: 'chat.completion.chunk', choices: [], usage: chatUsage(end.usage) });
    yield 'data: [DONE]\n\n';
  } catch (thrown) {
    yield line({ error: openaiErrorBody(toErrorData(thrown)) });
  }
}

function reasonOf({ calls }: AnswerEnd): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function line(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chatUsage({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}
