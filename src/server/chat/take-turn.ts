import { randomUUID } from 'node:crypto';
import {
  AgentError,
  optional,
  type Attachment,
  type ClientTool,
  type JsonObject,
  type RunHandle,
  type GivenTurn,
} from '../../core/index.ts';
import { type Caller, askerOf, deciderOf, mustHaveScope, storedSession } from '../caller.ts';
import { foldRun } from '../../views/index.ts';
import { aloneSession, findOwnRun, readEvents } from '../rest/own-runs.ts';
import { budgetOf, checkSkill, forgetAlone, mustBegin } from '../rest/start-run.ts';
import { strictestLimits } from '../limits/budgets.ts';
import type { ServerContext } from '../route-group.ts';
import { findOpenTurn, takeOpenTurn, type OpenTurn } from './open-turns.ts';

/** The next message of a conversation, as any of the compatible APIs receives it. */
export interface ChatMessage {
  readonly prompt: string;
  readonly attachments?: readonly Attachment[];
  /** The skill to call. Without it, the prompt determines the skill. */
  readonly skill?: string;
  /** The conversation before the message. */
  readonly history: readonly GivenTurn[];
  /** The id of the session that keeps the conversation. Without it, the client keeps it. */
  readonly session?: string;
  /** The address at which a run waits for this message. */
  readonly address: string;
  /** The JSON Schema of the result value. */
  readonly result?: JsonObject;
  readonly effort?: string;
  /** Instructions of the client for the model. */
  readonly instructions?: string;
  /** The tools that the client executes. */
  readonly tools?: readonly ClientTool[];
  /** The results of calls of the client's tools. */
  readonly results?: readonly CallResult[];
}

/** The result of a call of a client's tool. */
export interface CallResult {
  /** The id of the call, as a response contained it. */
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A run that works on a message. */
export interface BegunTurn {
  readonly handle: RunHandle;
  /** The stored id of the run's session. */
  readonly session: string;
  /** The number of events that belong to earlier messages. */
  readonly after: number;
}

/**
 * Begins the run of a message, or continues the run that waits for it. Returns when the run is recorded. Throws
 * if the caller may not start it.
 */
export async function beginTurn(
  context: ServerContext,
  caller: Caller,
  message: ChatMessage,
  signal: AbortSignal,
): Promise<BegunTurn> {
  mustHaveScope(caller, 'runs:write');
  checkSkill(context, caller, message);
  const budget = await budgetOf(context, caller);
  const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
  if (slot instanceof Error) throw slot;
  let begun: BegunTurn;
  try {
    begun =
      (await continueCalls(context, caller, message, signal)) ??
      (await continueOpen(context, caller, message, signal)) ??
      (await beginNew(context, caller, message, { signal, limits: strictestLimits(context.limits, budget) }));
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
  context.feeds.attach(begun.handle);
  void begun.handle.result
    .finally(() => slot[Symbol.dispose]())
    .then(({ runId }) => forgetAlone(context, runId))
    .catch((thrown: unknown) => context.report(String(thrown)));
  await mustBegin(begun.handle);
  return begun;
}

async function beginNew(
  { agent }: ServerContext,
  caller: Caller,
  message: ChatMessage,
  options: { readonly signal: AbortSignal; readonly limits: ReturnType<typeof strictestLimits> },
): Promise<BegunTurn> {
  const {
    prompt,
    skill,
    attachments = [],
    history,
    session: given,
    result,
    effort,
    tools = [],
    instructions,
  } = message;
  const session = given === undefined ? aloneSession(randomUUID()) : storedSession(caller, given);
  await agent.runs.giveTurns(session, history);
  const overrides = { ...optional('result', result), ...optional('effort', effort) };
  const handle = agent.run({
    prompt:
      prompt.trim() === ''
        ? (message.results?.map(({ text }) => `Result:\n${text}`).join('\n\n') ?? '')
        : prompt,
    session,
    assistant: 'open', // Clients of these APIs expect an answer to every message.
    ...options,
    ...askerOf(caller),
    ...optional('skill', skill),
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('instructions', instructions),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
  });
  return { handle, session, after: 0 };
}

/**
 * Continues the run whose calls of the client's tools have results. Returns undefined if there is none: then the
 * results are part of the conversation only.
 */
async function continueCalls(
  context: ServerContext,
  caller: Caller,
  { results = [], prompt }: ChatMessage,
  signal: AbortSignal,
): Promise<BegunTurn | undefined> {
  const { runs } = context.agent;
  const named = results.flatMap((result) => ({ ...result, ...readCallId(result.id) }));
  const runId = named.find((one) => one.runId !== undefined)?.runId;
  const run =
    runId === undefined ? undefined : await findOwnRun(context, caller, runId).catch(() => undefined);
  if (run?.status !== 'waiting') return undefined;
  const { questions } = foldRun(await readEvents(await runs.store(), run.id));
  const asked = new Set(questions.flatMap(({ id, tool }) => (tool === undefined ? [] : [id])));
  const answers = named.filter(({ runId: of, question = '' }) => of === run.id && asked.has(question));
  if (answers.length === 0) return undefined;
  for (const { text, isError, question } of answers)
    await runs.answer(run.id, isError ? { error: text } : text, question, deciderOf(caller));
  if (prompt.trim() !== '') await runs.steer(run.id, prompt);
  return { handle: runs.resume(run.id, { signal }), session: run.session, after: run.seq };
}

/** Returns the id of a call of a client's tool. Pure. */
export function callId({ runId, question }: Pick<OpenTurn, 'runId' | 'question'>): string {
  return `${callPrefix}${runId}${callGap}${question}`;
}

const callPrefix = 'toolu_';
const callGap = '__';

function readCallId(id: string): Partial<Pick<OpenTurn, 'runId' | 'question'>> {
  const at = id.lastIndexOf(callGap);
  if (!id.startsWith(callPrefix) || at < callPrefix.length) return {};
  return { runId: id.slice(callPrefix.length, at), question: id.slice(at + callGap.length) };
}

/** Continues the run that waits for a message. Returns undefined if there is none, or if it is a new request. */
async function continueOpen(
  context: ServerContext,
  caller: Caller,
  { prompt, address }: ChatMessage,
  signal: AbortSignal,
): Promise<BegunTurn | undefined> {
  const found = await findOpenTurn(context, address);
  if (found === undefined) return undefined;
  const { turn, run } = found;
  const decision = turn.kind === 'approval' ? decisionIn(prompt) : undefined;
  if (turn.kind === 'approval' && decision === undefined && run.status === 'waiting') return undefined;
  if (decision !== undefined) mustHaveScope(caller, 'approvals:decide');
  if (!(await takeOpenTurn(context, address, turn))) return undefined;
  const { runs } = context.agent;
  const begun = { session: turn.session, after: run.seq };
  if (turn.kind === 'input') return { ...begun, handle: answerWith(context, caller, prompt, turn, signal) };
  if (decision !== undefined && run.status === 'waiting')
    await runs.approve(turn.runId, turn.question, decision, deciderOf(caller));
  return { ...begun, handle: runs.resume(turn.runId, { signal }) };
}

function answerWith(
  { agent }: ServerContext,
  caller: Caller,
  prompt: string,
  { runId, question, session }: OpenTurn,
  signal: AbortSignal,
): RunHandle {
  return agent.run({ prompt, session, question: { runId, id: question }, signal, ...askerOf(caller) });
}

const approves = /^\s*(?:y|yes|ok|okay|approve|approved|allow|accept|proceed)[\s.!]*$/i;
const denies = /^\s*(?:n|no|deny|denied|reject|refuse|decline)[\s.!]*$/i;

/** Returns the decision that a message consists of, or undefined. Pure. */
export function decisionIn(
  prompt: string,
): { readonly allow: 'once' } | { readonly deny: string } | undefined {
  if (approves.test(prompt)) return { allow: 'once' };
  return denies.test(prompt) ? { deny: 'The user denied it.' } : undefined;
}

/** Returns the skill that a model name stands for, or undefined for the whole agent. Throws for other models. */
export function skillOfModel(model: string): string | undefined {
  if (model === agentModel) return undefined;
  if (model.startsWith(`${agentModel}/`)) return model.slice(agentModel.length + 1);
  throw new AgentError('model.not-found', `No model has the id ${JSON.stringify(model.slice(0, 100))}.`, {
    hint: `Use "${agentModel}", or "${agentModel}/<skill>". The list of models shows all of them.`,
    details: { status: 404 },
  });
}

/** The name of the agent as a model. */
export const agentModel = 'skilled';
