import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import {
  hasEnded,
  isAgentError,
  isJsonObject,
  optional,
  toErrorData,
  visible,
  type ErrorData,
  type Json,
  type LimitOptions,
  type OpenQuestion,
  type RunHandle,
  type RunResult,
} from '../../core/index.ts';
import type { RunArtifact } from '../../views/index.ts';
import type { PendingCall, ServeOptions, ServeContext } from './context.ts';
import { createProgressReporter, type ProgressReporter, type ReportedProgress } from './progress.ts';
import { answerQuestion, askClient } from './questions.ts';
import type { ServedTool } from './tools.ts';

/** A tool call that a client has made. */
export interface ClientCall {
  readonly serving: ServeContext;
  readonly tool: ServedTool;
  readonly input: Json;
  /** The session for the call. If `isPassing` is true, the session is deleted when the call ends. */
  readonly session: { readonly id: string; readonly isPassing: boolean };
  /** Whether the client can show forms. */
  readonly canAsk: boolean;
  readonly request: ServerContext;
}

/** A call that is in progress. */
interface ObservedCall extends ClientCall {
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  readonly reporter: ProgressReporter | undefined;
  /** The session to delete when the call ends, if any. */
  readonly passing: string | undefined;
}

/**
 * Calls a skill in a new run, or resumes a run whose question the client has answered. Returns the result of
 * the run, or a question for the client. If the client cancels the call or disconnects, cancels the run.
 */
export async function callTool(call: ClientCall): Promise<CallToolResult | InputRequiredResult> {
  const { request, session, serving } = call;
  const asked = request.mcpReq.requestState<PendingCall>();
  const observed: ObservedCall = {
    ...call,
    signal: signalOf(request),
    reporter: reporterFor(request, asked?.told),
    passing: asked?.passing ?? (session.isPassing ? session.id : undefined),
  };
  try {
    const limits = await serving.options.limits?.();
    if (asked === undefined) return await runToEnd(observed, begin(observed, limits));
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return failure('', toErrorData(thrown), serving.options.pasteable);
  }
  return await resumeCall(observed, asked, serving);
}

/** Passes the client's answer to the run and resumes the run. If the answer is invalid, asks again. */
async function resumeCall(
  call: ObservedCall,
  asked: PendingCall,
  { agent }: ServeContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { request, signal, tool } = call;
  if (asked.tool !== tool.name)
    return failure('', { code: 'usage.bad-input', message: 'The answer belongs to another tool.' });
  const { status, objection } = await answerQuestion(agent, asked, request.mcpReq.inputResponses);
  if (status === 'cancelled') return conclude(call, await agent.runs.result(asked.run));
  if (objection !== undefined) return ask(call, await agent.runs.result(asked.run), objection);
  return runToEnd(call, agent.runs.resume(asked.run, { signal }));
}

async function runToEnd(call: ObservedCall, first: RunHandle): Promise<CallToolResult | InputRequiredResult> {
  const { serving, signal, reporter } = call;
  const { agent, options } = serving;
  for (let handle = first; ; handle = agent.runs.resume(handle.id, { signal })) {
    const reporting = reporter?.follow(handle);
    const result = await handle.result;
    await reporting;
    const { question } = result;
    const isWaiting = result.status === 'waiting' && question !== undefined;
    if (!isWaiting) return conclude(call, result);
    if (options.approves !== true || question.kind !== 'approval') return ask(call, result);
    await agent.runs.approve(result.runId, question.id, { allow: 'once' });
  }
}

/**
 * Returns the run's question in a form for the client. If the client cannot show forms, returns an
 * explanation of how else to answer the question.
 */
async function ask(
  call: ObservedCall,
  result: RunResult,
  objection?: string,
): Promise<CallToolResult | InputRequiredResult> {
  const { serving, tool, request, signal, reporter, passing, canAsk } = call;
  const { runId, question } = result;
  if (question === undefined) return conclude(call, result);
  if (!canAsk) return failure(runId, waitingText(runId, question), serving.options.pasteable);
  const state = {
    tool: tool.name,
    run: runId,
    question: question.id,
    ...optional('told', reporter?.reported),
    ...optional('passing', passing),
  };
  return askClient(serving, { state, question, request, signal, ...optional('objection', objection) });
}

async function conclude(
  { serving: { agent, options }, tool, passing }: ObservedCall,
  result: RunResult,
): Promise<CallToolResult> {
  const artifacts = result.ok ? await agent.runs.artifacts(result.runId) : [];
  if (passing !== undefined && hasEnded(result.status)) await agent.deleteSession(passing);
  const { pasteable } = options;
  return toolResult(result, artifacts, { hasOutput: tool.output !== undefined, pasteable });
}

function begin(
  { serving, tool, input, session, signal }: ObservedCall,
  limits: LimitOptions | undefined,
): RunHandle {
  const { agent, options } = serving;
  return agent.run({
    skill: tool.skill,
    input: tool.given(input),
    session: session.id,
    signal,
    ...optional('user', options.user),
    ...optional('limits', limits),
    ...options.asker,
  });
}

function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const lost = http?.req?.signal;
  return lost === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, lost]);
}

function reporterFor(
  { mcpReq }: ServerContext,
  before: ReportedProgress | undefined,
): ProgressReporter | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const notify = (progress: number, message: string): Promise<void> =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  return createProgressReporter(notify, before);
}

/**
 * Returns the text for clients that cannot show forms: the question and the command with which a user can
 * answer it.
 */
function waitingText(runId: string, { id, kind, text, options = [] }: OpenQuestion): ErrorData {
  const isApproval = kind === 'approval';
  const choices = options.length === 0 ? '' : ` (${options.map(visible).join(', ')})`;
  const next = isApproval ? `skilled approve ${runId}/${id}` : `skilled resume ${runId} "<answer>"`;
  return {
    code: 'policy.waiting',
    message: `The run ${runId} is waiting for a person: ${isApproval ? visible(text) : text}${choices}`,
    hint: `${isApproval ? 'Decide' : 'Answer'} at a terminal: \`${next}\``,
  };
}

type Content = CallToolResult['content'][number];

type Pasteable = ServeOptions['pasteable'];

/**
 * Converts the result of a run to a tool result, with text, artifacts and structured content, or with an
 * error.
 */
function toolResult(
  result: RunResult,
  artifacts: readonly RunArtifact[],
  { hasOutput, pasteable }: { readonly hasOutput: boolean; readonly pasteable: Pasteable },
): CallToolResult {
  const { runId, text, value, error } = result;
  if (!result.ok)
    return failure(
      runId,
      error ?? { code: 'skill.failed', message: text || 'The skill did not finish.' },
      pasteable,
    );
  const structured = value !== undefined && isJsonObject(value) ? value : undefined;
  if (hasOutput && structured === undefined)
    return failure(runId, {
      code: 'skill.no-result',
      message: `The skill "${result.skill}" returned no value that matches its output description.`,
      hint: 'Fix the skill, or remove the output description from its file.',
    });
  return {
    content: [...textsOf(text, value), ...artifacts.map((artifact) => contentOf(runId, artifact, pasteable))],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    _meta: { [runKey]: runId },
  };
}

/** Returns a tool result for an error, with its message, hint and code. */
function failure(
  runId: string,
  { code, message, hint = '' }: ErrorData,
  pasteable: Pasteable = (same) => same,
): CallToolResult {
  const text = [message, ...(hint === '' ? [] : [pasteable(hint)]), `(${code})`].join('\n');
  return {
    isError: true,
    content: [{ type: 'text', text }],
    ...(runId === '' ? {} : { _meta: { [runKey]: runId } }),
  };
}

/** The metadata key for the run id in a result. */
const runKey = 'skilled/run';

function textsOf(text: string, value: Json | undefined): readonly Content[] {
  const json = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  const texts = isSame(text, json) ? [text] : [text, json];
  const said = texts.filter((one) => one !== undefined && one !== '');
  return (said.length === 0 ? [''] : said).map((one) => ({ type: 'text', text: one ?? '' }));
}

/** Whether text and JSON are the same except for white space. Also true if the JSON is undefined. */
function isSame(text: string, json: string | undefined): boolean {
  return json === undefined || text.replace(/\s/g, '') === json.replace(/\s/g, '');
}

const maxCharacters = 20_000;

/**
 * Converts an artifact to content for a client. Binary data becomes a blob. If the artifact is too long, the
 * content is the command that prints it.
 */
function contentOf(runId: string, artifact: RunArtifact, pasteable: Pasteable = (same) => same): Content {
  const { name, number, mediaType, text } = artifact;
  const blob = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  if (blob !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', mimeType: mediaType, data: blob };
  if (blob !== undefined && mediaType.startsWith('audio/'))
    return { type: 'audio', mimeType: mediaType, data: blob };
  if (text.length > maxCharacters) {
    const command = pasteable(`\`skilled artifacts ${runId} ${number}\``);
    return { type: 'text', text: `Created "${name}" (${text.length} characters): ${command}` };
  }
  const uri = `skilled://runs/${runId}/artifacts/${number}/${encodeURIComponent(name)}`;
  const known = { uri, mimeType: mediaType };
  return { type: 'resource', resource: blob === undefined ? { ...known, text } : { ...known, blob } };
}
