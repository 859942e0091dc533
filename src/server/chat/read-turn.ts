import { createAnswerText } from '../../agent/streams/answer-text.ts';
import {
  AgentError,
  isJsonObject,
  noUsage,
  optional,
  type Json,
  type ModelReply,
  type OpenQuestion,
  type RunResult,
  type Usage,
} from '../../core/index.ts';
import type { ServerContext } from '../route-group.ts';
import { storeOpenTurn } from './open-turns.ts';
import { callId, type BegunTurn } from './take-turn.ts';
import { readEvents } from '../rest/own-runs.ts';
import { foldRun } from '../../views/index.ts';

/** The end of the response to a message. */
export interface ResponseOutcome {
  readonly result: RunResult;
  /** The usage since the message, including that of nested calls. */
  readonly usage: Usage;
  /** Why the last model step of the outermost skill ended. */
  readonly reason?: ModelReply['reason'];
  /** The calls of the client's tools that the run waits for. */
  readonly calls: readonly PendingCallOfClient[];
}

/** A call of a client's tool. Its id names the run and the question that the result answers. */
interface PendingCallOfClient {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** Options for reading a turn. */
interface ReadTurnOptions {
  /** Whether the answer is the result value as JSON. */
  readonly isStructured: boolean;
  /** Returns where the next message is expected, for the whole text of this response. */
  readonly nextAddress: (text: string) => string;
}

/**
 * Yields the text of the response to a message, as it is written, and returns how the response ended. A question
 * is part of the text. Throws the error of a run that failed.
 */
export async function* readTurn(
  context: ServerContext,
  { handle, session, after }: BegunTurn,
  { isStructured, nextAddress }: ReadTurnOptions,
): AsyncGenerator<string, ResponseOutcome> {
  const answer = createAnswerText();
  let usage = noUsage;
  let root: string | undefined;
  let reason: ModelReply['reason'] | undefined;
  let text = '';
  const add = (piece: string): string => {
    const shown = text === '' ? piece.trimStart() : piece;
    text += shown;
    return shown;
  };
  for await (const event of handle.events) {
    const piece = answer.add(event);
    if (event.seq > 0 && event.seq <= after) continue;
    if (event.type === 'frame.started' && event.parent === '') root ??= event.frameId;
    if (event.type === 'model.ended') {
      usage = sum(usage, event.reply.usage);
      if (event.frameId === root) ({ reason } = event.reply);
    }
    if (piece !== '' && !isStructured) yield add(piece);
  }
  const result = await handle.result;
  const last = answer.end(result);
  if (result.status === 'done') yield add(isStructured ? JSON.stringify(result.value ?? result.text) : last);
  else if (result.status !== 'waiting' || result.question === undefined) throw errorOf(result);
  else if (result.question.tool === undefined) {
    const { question } = result;
    yield add(`${text === '' ? '' : '\n\n'}${textOf(question, result.runId)}`);
    const { kind, id } = question;
    await storeOpenTurn(context, nextAddress(text), { runId: result.runId, question: id, kind, session });
  }
  const calls = result.question?.tool === undefined ? [] : await callsOf(context, result.runId);
  return { result, usage, calls, ...optional('reason', reason) };
}

async function callsOf({ agent }: ServerContext, runId: string): Promise<readonly PendingCallOfClient[]> {
  const { questions } = foldRun(await readEvents(await agent.runs.store(), runId));
  return questions.flatMap(({ id, tool }) =>
    tool === undefined
      ? []
      : [{ id: callId({ runId, question: id }), name: tool.name, input: tool.arguments }],
  );
}

/** Returns a question as the text of a response. Pure. */
function textOf({ text, kind, id, options = [] }: OpenQuestion, runId: string): string {
  if (kind === 'input') return [text, ...options.map((option) => `- ${option}`)].join('\n');
  return `${text}\n\nApproval ${runId}.${id} is pending. Answer "approve" or "deny".`;
}

/** Returns the error of a run. Its details name the run, which may have had effects. */
function errorOf({ error, status, runId }: RunResult): AgentError {
  if (error === undefined)
    return new AgentError('limit.busy', `The run was stopped and is ${status}.`, {
      hint: 'Send the request again later.',
      details: { runId },
    });
  const { code, message, hint, details } = error;
  const known = isJsonObject(details) ? details : {};
  // A run that reaches a limit does not mean that its client sends too many requests.
  const own = { ...known, runId, ...(code.startsWith('limit.') ? { status: 422 } : {}) };
  return new AgentError(code, message, { ...optional('hint', hint), details: own });
}

function sum(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0),
    cacheWriteTokens: (one.cacheWriteTokens ?? 0) + (other.cacheWriteTokens ?? 0),
  };
}
