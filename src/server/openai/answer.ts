import { createHash, randomUUID } from 'node:crypto';
import {
  AgentError,
  isDecision,
  optional,
  type Attachment,
  type ClientTool,
  type ErrorData,
  type Json,
  type JsonObject,
  type OpenQuestion,
  type RunHandle,
  type RunResult,
  type Usage,
} from '../../core/index.ts';
import { answerIn } from '../../agent/runs/pending.ts';
import { createAnswerText } from '../../agent/streams/answer-text.ts';
import { type Caller, askerOf, deciderOf, mustHaveScope } from '../caller.ts';
import { findOwnRun } from '../rest/own-runs.ts';
import { budgetOf, checkSkill, forgetAlone, mustBegin } from '../rest/start-run.ts';
import { strictestLimits } from '../limits/budgets.ts';
import type { ServerContext } from '../route-group.ts';
import { callIdOf, questionsOf, returnResults, runOfCall, type ClientResult } from './client-calls.ts';
import { badRequest } from './errors.ts';
import { writeTurns, type EarlierTurn } from './earlier-turns.ts';

/** A request to the agent, the same for both APIs. */
export interface AnswerRequest {
  /** The skill that the model's name selects. Undefined for the agent itself. */
  readonly skill: string | undefined;
  /** The stored id of the session. */
  readonly session: string;
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  readonly instructions: string | undefined;
  /** The turns to add to the session first. */
  readonly earlier: readonly EarlierTurn[];
  readonly tools: readonly ClientTool[];
  readonly results: readonly ClientResult[];
  /** The JSON Schema of the answer, if the client wants JSON. */
  readonly schema: JsonObject | undefined;
  readonly effort: string | undefined;
  /** The run that waits for the prompt. */
  readonly waiting: string | undefined;
}

/** A call of one of the client's tools. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON. */
  readonly arguments: string;
}

/** The end of an answer. */
export interface AnswerEnd {
  readonly calls: readonly ShownCall[];
  readonly usage: Usage;
  readonly error?: ErrorData;
  /** Whether the run waits for the next message. */
  readonly isWaiting: boolean;
}

/** An answer in progress. */
export interface AnswerInProgress {
  readonly runId: string;
  /** Yields the text as it is written. Read it once, to the end. */
  text(): AsyncGenerator<string, void>;
  /** Returns how the answer ended, after the text. */
  end(): Promise<AnswerEnd>;
}

/** Starts the run of a turn, or continues the one that waits for it. The signal cancels the run. */
export async function beginAnswer(
  context: ServerContext,
  caller: Caller,
  turn: AnswerRequest,
  signal: AbortSignal,
): Promise<AnswerInProgress> {
  const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
  if (slot instanceof Error) throw slot;
  try {
    const waiting = await waitingBefore(context, caller, turn);
    const before = waiting === undefined ? undefined : await context.agent.runs.result(waiting);
    const seen = waiting === undefined ? 0 : (await findOwnRun(context, caller, waiting)).seq;
    const handle = await beginRun(context, caller, turn, waiting, signal);
    context.feeds.attach(handle);
    const ended = handle.result.finally(() => slot[Symbol.dispose]());
    void ended
      .then(({ runId }) => forgetSession(context, runId, turn.session))
      .catch((thrown: unknown) => context.report(String(thrown)));
    await mustBegin(handle);
    const isContinued = handle.id === waiting;
    return answerOf(
      context,
      handle,
      turn,
      isContinued ? { seen, usage: before?.usage } : { seen: 0, usage: undefined },
    );
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
}

/** Deletes a session that no conversation uses, unless an earlier run still waits in it. */
async function forgetSession(context: ServerContext, runId: string, session: string): Promise<void> {
  const open = await context.agent.runs.list({ session, status: ['waiting', 'running'], limit: 1 });
  if (open.length === 0) await forgetAlone(context, runId);
}

/** Returns the run that the turn continues, if it is still open. */
async function waitingBefore(
  context: ServerContext,
  caller: Caller,
  turn: AnswerRequest,
): Promise<string | undefined> {
  const [first] = turn.results;
  const id = first === undefined ? turn.waiting : runOfCall(first.id);
  if (first !== undefined && id === undefined) throw unknownCall(first.id);
  if (id === undefined) return undefined;
  const run = await findOwnRun(context, caller, id).catch(() => undefined);
  if (run !== undefined && (first !== undefined || run.status === 'waiting')) return run.id;
  if (first !== undefined) throw unknownCall(first.id);
  return undefined;
}

function unknownCall(id: string): AgentError {
  return new AgentError('usage.not-found', `No tool call has the id ${JSON.stringify(id.slice(0, 100))}.`, {
    hint: 'Return results with the ids of the calls of this server, within 30 days.',
  });
}

async function beginRun(
  context: ServerContext,
  caller: Caller,
  turn: AnswerRequest,
  waiting: string | undefined,
  signal: AbortSignal,
): Promise<RunHandle> {
  const { agent } = context;
  const questions = waiting === undefined ? [] : await questionsOf(context, waiting);
  if (waiting !== undefined && turn.results.length > 0) {
    await returnResults(context, caller, { runId: waiting, results: turn.results, questions });
    return agent.runs.resume(waiting, { signal });
  }
  const [question] = questions;
  if (question?.tool !== undefined)
    throw badRequest(
      `No result was found for the call of "${question.tool.name}".`,
      'Return the results of all calls.',
    );
  if (waiting !== undefined && question?.kind === 'approval' && isDecision(turn.prompt)) {
    mustHaveScope(caller, 'approvals:decide');
    const isYes =
      /^\s*(?:y|yes|ok|okay|true|proceed|continue|go ahead|confirm|approve|accept|agree|allow)\b/i;
    const approval = isYes.test(turn.prompt)
      ? { allow: 'once' as const }
      : { deny: 'The user denied the call.' };
    await agent.runs.approve(waiting, question.id, approval, deciderOf(caller));
    return agent.runs.resume(waiting, { signal });
  }
  if (waiting !== undefined && question?.kind === 'input' && turn.skill !== undefined) {
    // The model's name selects a skill, so the prompt is never a request for another one.
    await agent.runs.answer(waiting, answerIn(question, turn.prompt), question.id, deciderOf(caller));
    return agent.runs.resume(waiting, { signal });
  }
  const { skill, prompt, session, attachments, instructions, tools, schema, effort } = turn;
  checkSkill(context, caller, { skill, prompt });
  await writeTurns(context, session, turn.earlier);
  const overrides = { ...optional('result', schema), ...optional('effort', effort) };
  const isOpen = skill === undefined && tools.length > 0 && !/^\s*[/@]/.test(prompt);
  return agent.run({
    session,
    prompt,
    signal,
    assistant: 'open',
    limits: strictestLimits(context.limits, await budgetOf(context, caller)),
    ...askerOf(caller),
    ...optional('skill', skill),
    ...(isOpen ? { toAssistant: true } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('instructions', instructions),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    question:
      waiting !== undefined && question?.kind === 'input' ? { runId: waiting, id: question.id } : null,
  });
}

interface ShownEvents {
  /** The number of events that an earlier response has shown. */
  readonly seen: number;
  /** The usage of the run until then. */
  readonly usage: Usage | undefined;
}

function answerOf(
  context: ServerContext,
  handle: RunHandle,
  turn: AnswerRequest,
  { seen, usage }: ShownEvents,
): AnswerInProgress {
  const isJson = turn.schema !== undefined;
  const collected = createAnswerText();
  const finish = async (): Promise<AnswerEnd & { readonly result: RunResult; readonly rest: string }> => {
    const result = await handle.result;
    const isWaiting = result.status === 'waiting';
    const questions = isWaiting ? await questionsOf(context, handle.id) : [];
    const calls = questions.flatMap(({ id, tool }) =>
      tool === undefined
        ? []
        : [{ id: callIdOf(handle.id, id), name: tool.name, arguments: JSON.stringify(tool.arguments) }],
    );
    const { error } = result;
    return {
      result,
      calls,
      isWaiting,
      usage: usedSince(result.usage, usage),
      ...optional('error', error),
      rest: restOf(result, questions, { isJson, hasCalls: calls.length > 0 }) ?? collected.end(result),
    };
  };
  let ending: ReturnType<typeof finish> | undefined;
  const end = (): ReturnType<typeof finish> => (ending ??= finish());
  return {
    get runId() {
      return handle.id;
    },
    async *text() {
      let hasText = false;
      for await (const event of handle.events) {
        const text = collected.add(event);
        if (text === '' || isJson || (event.seq > 0 && event.seq <= seen)) continue;
        yield hasText ? text : text.trimStart();
        hasText = true;
      }
      const { rest } = await end();
      if (rest !== '') yield hasText ? rest : rest.trimStart();
    },
    end,
  };
}

/** Returns the text at the end of an answer, or undefined if it is the rest of the streamed text. */
function restOf(
  result: RunResult,
  [question]: readonly OpenQuestion[],
  { isJson, hasCalls }: { readonly isJson: boolean; readonly hasCalls: boolean },
): string | undefined {
  if (hasCalls) return '';
  if (question?.kind === 'approval')
    return `\n\n${question.text}\nReply "approve" or "deny". Approval: ${result.runId}.${question.id}`;
  if (question !== undefined) {
    const options = (question.options ?? []).map((option) => `\n- ${option}`).join('');
    return `\n\n${question.text}${options}`;
  }
  if (result.status !== 'done') return '';
  return isJson ? jsonOf(result) : undefined;
}

function jsonOf({ value, text }: RunResult): string {
  return value === undefined ? text : JSON.stringify(value);
}

function usedSince(now: Usage, before: Usage | undefined): Usage {
  return {
    inputTokens: Math.max(0, now.inputTokens - (before?.inputTokens ?? 0)),
    outputTokens: Math.max(0, now.outputTokens - (before?.outputTokens ?? 0)),
    cachedTokens: Math.max(0, (now.cachedTokens ?? 0) - (before?.cachedTokens ?? 0)),
  };
}

/** Returns a random id with a prefix. */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

/** Returns a hash of JSON. */
export function digestOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
