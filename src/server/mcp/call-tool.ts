import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import {
  hasEnded,
  isJsonObject,
  optional,
  visible,
  type ErrorData,
  type Json,
  type OpenQuestion,
  type RunHandle,
  type RunResult,
} from '../../core/index.ts';
import type { RunArtifact } from '../../views/index.ts';
import type { PendingCall, ServeOptions, ServeContext } from './context.ts';
import { createProgressTeller, type ProgressTeller, type ReportedProgress } from './progress.ts';
import { answerQuestion, askClient } from './questions.ts';
import type { ServedTool } from './tools.ts';

/** One call of one client. */
export interface ClientCall {
  readonly serving: ServeContext;
  readonly tool: ServedTool;
  readonly input: Json;
  /** Whose memory it uses; `isPassing` where it ends with the call. */
  readonly session: { readonly id: string; readonly isPassing: boolean };
  /** The client can show forms. */
  readonly canAsk: boolean;
  readonly request: ServerContext;
}

/** A call while it is carried out. */
interface Attended extends ClientCall {
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
export async function callTool(call: ClientCall): Promise<CallToolResult | InputRequiredResult> {
  const { request, session, serving } = call;
  const asked = request.mcpReq.requestState<PendingCall>();
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
  asked: PendingCall,
  { agent }: ServeContext,
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
    tool: tool.name,
    run: runId,
    question: question.id,
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
    skill: tool.skill,
    input: tool.given(input),
    session: session.id,
    signal,
    ...optional('roles', options.roles),
    ...optional('limits', options.limits),
  });
}

function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const lost = http?.req?.signal;
  return lost === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, lost]);
}

function tellerFor(
  { mcpReq }: ServerContext,
  before: ReportedProgress | undefined,
): ProgressTeller | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const tell = (progress: number, message: string): Promise<void> =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  return createProgressTeller(tell, before);
}

/** What a client is told that cannot show a question: what is asked, and the command by which a person answers it. */
function waitingText(runId: string, { id, kind, text, options = [] }: OpenQuestion): ErrorData {
  const isApproval = kind === 'approval';
  const choices = options.length === 0 ? '' : ` (${options.map(visible).join(', ')})`;
  const next = isApproval ? `skilled approve ${runId}/${id}` : `skilled resume ${runId} "<answer>"`;
  return {
    code: 'policy.waiting',
    message: `The run ${runId} waits for a person: ${isApproval ? visible(text) : text}${choices}`,
    hint: `${isApproval ? 'Somebody must decide' : 'Somebody must answer'} at a terminal: \`${next}\``,
  };
}

type Content = CallToolResult['content'][number];

type Pasteable = ServeOptions['pasteable'];

/** What a call came to, as its client gets it: the text, an object as structured content, what was made, or the failure as data. */
function toolResult(
  result: RunResult,
  artifacts: readonly RunArtifact[],
  { hasOutput, pasteable }: { readonly hasOutput: boolean; readonly pasteable: Pasteable },
): CallToolResult {
  const { runId, text, value, error } = result;
  if (!result.ok)
    return failure(runId, error ?? { code: 'skill.failed', message: text || 'It did not end.' }, pasteable);
  const structured = value !== undefined && isJsonObject(value) ? value : undefined;
  if (hasOutput && structured === undefined)
    return failure(runId, {
      code: 'skill.no-result',
      message: `The skill "${result.skill}" gave no value of the kind that it describes.`,
      hint: 'Correct the skill, or take the description of its output out of its file.',
    });
  return {
    content: [...textsOf(text, value), ...artifacts.map((artifact) => contentOf(runId, artifact, pasteable))],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    _meta: { [runKey]: runId },
  };
}

/** A failure in words: what happened, what to do next, and its code. */
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

/** Where the id of its run stands in a result. */
const runKey = 'skilled/run';

function textsOf(text: string, value: Json | undefined): readonly Content[] {
  const json = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  const texts = isSame(text, json) ? [text] : [text, json];
  const said = texts.filter((one) => one !== undefined && one !== '');
  return (said.length === 0 ? [''] : said).map((one) => ({ type: 'text', text: one ?? '' }));
}

/** Whether the text already says the value, whatever the blanks in it. */
function isSame(text: string, json: string | undefined): boolean {
  return json === undefined || text.replace(/\s/g, '') === json.replace(/\s/g, '');
}

const mostLetters = 20_000;

/** An artifact whole, one of bytes as bytes, or the command that prints it where it is too long. */
function contentOf(runId: string, artifact: RunArtifact, pasteable: Pasteable = (same) => same): Content {
  const { name, number, mediaType, text } = artifact;
  const blob = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  if (blob !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', mimeType: mediaType, data: blob };
  if (text.length > mostLetters) {
    const command = pasteable(`\`skilled artifacts ${runId} ${number}\``);
    return { type: 'text', text: `Made "${name}" (${text.length} characters): ${command}` };
  }
  const uri = `skilled://runs/${runId}/artifacts/${number}/${encodeURIComponent(name)}`;
  const known = { uri, mimeType: mediaType };
  return { type: 'resource', resource: blob === undefined ? { ...known, text } : { ...known, blob } };
}
