import {
  AgentError,
  defaultSession,
  isJsonObject,
  optional,
  toErrorData,
  userKey,
  type Approval,
  type ErrorCode,
  type Json,
  type RunHandle,
} from '../../core/index.ts';
import { openQuestions } from '../../run/log/read-log.ts';
import type { PromptOptions } from '../prompt-options.ts';
import type { RunHistory } from '../runs/run-history.ts';
import type { StreamHandle } from './answer-text.ts';
import { toResponse } from './to-response.ts';
import type { UiMessageOptions } from './ui-messages.ts';

/** The agent's methods that answer a chat. */
interface ChatAgent {
  readonly runs: Pick<RunHistory, 'events' | 'approve' | 'resume'>;
  stream(prompt: string, options: PromptOptions): StreamHandle;
}

/** Options for answering a chat. The chat's own id is the session. */
export type ChatOptions = Omit<PromptOptions, 'session' | 'context'>;

/**
 * Answers a request of the AI SDK's `useChat`: runs the last message as a prompt in the session of the chat,
 * or continues the run whose approvals the last message decides. `body` is the JSON of the request, which
 * comes from the client and is checked. Take `user` from your own login.
 */
export async function respondToChat(
  agent: ChatAgent,
  body: unknown,
  options: ChatOptions = {},
): Promise<Response> {
  try {
    const { id, last, earlier } = readBody(body);
    const decisions = decisionsIn(last);
    if (decisions.length === 0)
      return toResponse(agent.stream(promptIn(last), { ...options, ...filesIn(last), session: id }), {
        format: 'ui-messages',
        ...optional('earlier', earlier),
      });
    const run = await continueRun(agent, { session: id, decisions, options });
    return toResponse(run, { format: 'ui-messages', after: shownEvents(last) });
  } catch (thrown) {
    const error = toErrorData(thrown);
    return Response.json({ error }, { status: statusOf(error.code) });
  }
}

function statusOf(code: ErrorCode): number {
  if (code === 'policy.denied') return 403;
  return /^(?:usage|policy|skill|limit)\./.test(code) ? 400 : 500;
}

interface ChatMessage {
  readonly role: string;
  readonly parts: readonly Json[];
  readonly metadata: Json | undefined;
}

interface ChatBody {
  readonly id: string;
  readonly last: ChatMessage;
  readonly earlier?: UiMessageOptions['earlier'];
}

function readBody(body: unknown): ChatBody {
  const { id, messages } = isJsonObject(body) ? body : {};
  const last = Array.isArray(messages) ? (messages.at(-1) as Json | undefined) : undefined;
  if (typeof id !== 'string' || id === '' || !isJsonObject(last) || !Array.isArray(last['parts']))
    throw new AgentError('usage.bad-input', 'The request has no chat id or no message.', {
      hint: 'Send the body that useChat sends: { id, messages }.',
    });
  if (id === defaultSession)
    throw new AgentError('policy.denied', `The session "${id}" belongs to the program.`, {
      hint: 'Use another id for the chat.',
    });
  const { role, parts, metadata } = last;
  return {
    id,
    last: { role: typeof role === 'string' ? role : '', parts: parts as readonly Json[], metadata },
    ...optional('earlier', shownBefore((messages as readonly Json[]).at(-2))),
  };
}

/** Returns the run that the message before the last one shows, as its metadata says. */
function shownBefore(message: Json | undefined): UiMessageOptions['earlier'] {
  const { metadata } = isJsonObject(message) ? message : {};
  const { runId } = isJsonObject(metadata) ? metadata : {};
  return typeof runId === 'string' ? { runId, seq: shownEvents({ metadata }) } : undefined;
}

function promptIn({ role, parts }: ChatMessage): string {
  const texts = parts.flatMap((part) =>
    isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  if (role === 'user' && texts.length > 0) return texts.join('\n\n');
  throw new AgentError('usage.bad-input', 'The last message is neither a request nor a decision.', {
    hint: 'Send a message of the user with text, or approve a call.',
  });
}

const dataUrl = /^data:[^;,]*;base64,/;

/** Returns the pictures of a message. Throws for files that are not part of the request, such as addresses. */
function filesIn({ parts }: ChatMessage): Pick<PromptOptions, 'attachments'> {
  const attachments = parts.flatMap((part, index) => {
    if (!isJsonObject(part) || part['type'] !== 'file') return [];
    const { filename, mediaType, url } = part;
    if (typeof url !== 'string' || typeof mediaType !== 'string' || !dataUrl.test(url))
      throw new AgentError('usage.bad-input', `File ${index + 1} of the message has no content.`, {
        hint: 'Send files as data URLs.',
      });
    const name = typeof filename === 'string' && filename !== '' ? filename : `file-${index + 1}`;
    return [{ name, mediaType, data: url.replace(dataUrl, '') }];
  });
  return attachments.length === 0 ? {} : { attachments };
}

/** A user's decision about a call, as the client sends it. */
interface ChatDecision {
  readonly runId: string;
  readonly questionId: string;
  readonly approval: Approval;
}

/** Returns the decisions in an assistant's message. Those that an earlier request sent have an output. */
function decisionsIn({ role, parts }: ChatMessage): readonly ChatDecision[] {
  if (role !== 'assistant') return [];
  return parts.flatMap((part) => {
    if (!isJsonObject(part) || part['state'] !== 'approval-responded' || !isJsonObject(part['approval']))
      return [];
    const { id, approved, reason } = part['approval'];
    const [runId, questionId] = typeof id === 'string' ? id.split('/') : [];
    if (runId === undefined || questionId === undefined) return [];
    const denial = typeof reason === 'string' && reason !== '' ? reason : 'The user denied the call.';
    return [{ runId, questionId, approval: approved === true ? { allow: 'once' } : { deny: denial } }];
  });
}

interface Continued {
  readonly session: string;
  readonly decisions: readonly ChatDecision[];
  readonly options: ChatOptions;
}

/** Decides and resumes a run. Throws `policy.denied` for a run of another session or user. */
async function continueRun(
  { runs }: ChatAgent,
  { session, decisions, options: { user, signal, io } }: Continued,
): Promise<RunHandle> {
  const [{ runId } = { runId: '' }] = decisions;
  const events = await runs.events(runId);
  const [begun] = events;
  const isOwn =
    begun?.type === 'run.started' && begun.session === session && begun.user === userKey(user?.id);
  if (!isOwn || decisions.some((one) => one.runId !== runId))
    throw new AgentError('policy.denied', `Run ${runId} is not part of this chat.`, {
      hint: 'Decide only the approvals that this chat asked for.',
    });
  const asked = new Set(events.flatMap((event) => (event.type === 'approval.requested' ? [event.id] : [])));
  const unknown = decisions.find(({ questionId }) => !asked.has(questionId));
  if (unknown !== undefined)
    throw new AgentError('usage.not-found', `Run ${runId} has no approval ${unknown.questionId}.`, {
      hint: 'Decide only the approvals that this chat asked for.',
    });
  const open = new Set(openQuestions(events).map(({ id }) => id));
  for (const { questionId, approval } of decisions)
    if (open.has(questionId)) await approveOnce(runs, { runId, questionId, approval });
  return runs.resume(runId, { ...optional('signal', signal), ...optional('io', io) });
}

/** Decides an approval. Keeps an earlier decision, because a client can send a message twice. */
async function approveOnce(
  runs: ChatAgent['runs'],
  { runId, questionId, approval }: ChatDecision,
): Promise<void> {
  try {
    await runs.approve(runId, questionId, approval);
  } catch (thrown) {
    const { code, details } = toErrorData(thrown);
    const isDecided = isJsonObject(details) && details['answered'] === questionId;
    if (!isDecided && code !== 'usage.not-found') throw thrown;
  }
}

/** Returns the number of events that a message already shows, as its metadata says. */
function shownEvents({ metadata }: Pick<ChatMessage, 'metadata'>): number {
  const seq = isJsonObject(metadata) ? metadata['seq'] : undefined;
  return typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}
