import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import type { RunHandle } from '../../core/event.ts';
import { hasEnded, type RunResult } from '../../core/run.ts';
import { answerQuestion } from './answer-question.ts';
import { askClient } from './ask-client.ts';
import { createProgressTeller, type ProgressTeller, type Told } from './progress-teller.ts';
import type { ServedTool } from './served-tools.ts';
import type { Asked, Serving } from './serving.ts';
import { failure, toolResult } from './tool-result.ts';
import { waitingText } from './waiting-text.ts';

/** One call of one client. */
export interface ToolCall {
  readonly serving: Serving;
  readonly tool: ServedTool;
  readonly input: Json;
  /** Whose memory it uses; `isPassing` where it ends with the call. */
  readonly session: { readonly id: string; readonly isPassing: boolean };
  /** The client can show forms. */
  readonly canAsk: boolean;
  readonly request: ServerContext;
}

/** A call while it is carried out. */
interface Attended extends ToolCall {
  /** Aborted when the client cancels the call, and when it went away. */
  readonly signal: AbortSignal;
  readonly teller: ProgressTeller | undefined;
  /** The session that ends with the call. */
  readonly passing: string | undefined;
}

/**
 * Calls a skill as a run of its own, or goes on with one whose question the client answered; ends with what it came to, or
 * with a question to the client. A client that cancels or goes away cancels the run.
 */
export async function callTool(call: ToolCall): Promise<CallToolResult | InputRequiredResult> {
  const { request, session, serving } = call;
  const asked = request.mcpReq.requestState<Asked>();
  const attended: Attended = {
    ...call,
    signal: signalOf(request),
    teller: tellerFor(request, asked?.told),
    passing: asked?.passing ?? (session.isPassing ? session.id : undefined),
  };
  return asked === undefined ? seeThrough(attended, begin(attended)) : goOn(attended, asked, serving);
}

/** Gives the answer of the client to the run that asked, and goes on with it; what is no answer is asked again. */
async function goOn(
  call: Attended,
  asked: Asked,
  { agent }: Serving,
): Promise<CallToolResult | InputRequiredResult> {
  const { request, signal, tool } = call;
  if (asked.tool !== tool.name)
    return failure('', { code: 'usage.bad-input', message: 'The answer is for another tool.' });
  const { status, objection } = await answerQuestion(agent, asked, request.mcpReq.inputResponses);
  if (status === 'cancelled') return conclude(call, await agent.runs.result(asked.run));
  if (objection !== undefined) return ask(call, await agent.runs.result(asked.run), objection);
  return seeThrough(call, agent.runs.resume(asked.run, { signal }));
}

async function seeThrough(call: Attended, first: RunHandle): Promise<CallToolResult | InputRequiredResult> {
  const { serving, signal, teller } = call;
  const { agent, options } = serving;
  for (let handle = first; ; handle = agent.runs.resume(handle.id, { signal })) {
    const told = teller?.follow(handle);
    const result = await handle.result;
    await told;
    const { question } = result;
    const isWaiting = result.status === 'waiting' && question !== undefined;
    if (!isWaiting) return conclude(call, result);
    if (options.approves !== true || question.kind !== 'approval') return ask(call, result);
    await agent.runs.approve(result.runId, question.id, { allow: 'once' });
  }
}

/** Asks the client what a run waits for, or tells it who else can answer. */
async function ask(
  call: Attended,
  result: RunResult,
  objection?: string,
): Promise<CallToolResult | InputRequiredResult> {
  const { serving, tool, request, signal, teller, passing, canAsk } = call;
  const { runId, question } = result;
  if (question === undefined) return conclude(call, result);
  if (!canAsk) return failure(runId, waitingText(runId, question), serving.options.pasteable);
  const state = {
    ...{ tool: tool.name, run: runId, question: question.id },
    ...optional('told', teller?.told),
    ...optional('passing', passing),
  };
  return askClient(serving, { state, question, request, signal, ...optional('objection', objection) });
}

async function conclude(
  { serving: { agent, options }, tool, passing }: Attended,
  result: RunResult,
): Promise<CallToolResult> {
  const artifacts = result.ok ? await agent.runs.artifacts(result.runId) : [];
  if (passing !== undefined && hasEnded(result.status)) await agent.deleteSession(passing);
  const { pasteable } = options;
  return toolResult(result, artifacts, { hasOutput: tool.output !== undefined, pasteable });
}

function begin({ serving, tool, input, session, signal }: Attended): RunHandle {
  const { agent, options } = serving;
  return agent.run({
    ...{ skill: tool.skill, input: tool.given(input), session: session.id, signal },
    ...optional('roles', options.roles),
    ...optional('limits', options.limits),
  });
}

function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const lost = http?.req?.signal;
  return lost === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, lost]);
}

function tellerFor({ mcpReq }: ServerContext, before: Told | undefined): ProgressTeller | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const tell = (progress: number, message: string): Promise<void> =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  return createProgressTeller(tell, before);
}
