import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationResponse,
  type ElicitationSchema,
  type PermissionOption,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import {
  toErrorData,
  visible,
  type Approval,
  type ApprovalRequest,
  type Json,
  type OpenQuestion,
  type RunEvent,
} from '../core/index.ts';
import { foldRun, questionForm } from '../views/index.ts';
import { describeCall } from './tool-call.ts';
import { toolCallIdOf } from './updates.ts';

/** The editor that a session belongs to. */
export interface Editor {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly cwd: string;
  readonly capabilities: ClientCapabilities;
}

/**
 * Asks the editor about each approval that a run waits for, one at a time. Resolves to false if the editor
 * cancels, which leaves the rest undecided.
 */
export async function decideApprovals(
  agent: BareAgent,
  editor: Editor,
  events: readonly RunEvent[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const question of foldRun(events).questions) {
    const asked = events.find((event) => event.type === 'approval.requested' && event.id === question.id);
    if (asked?.type !== 'approval.requested') continue;
    const approval = await askPermission(editor, question, asked, signal);
    if (approval === undefined) return false;
    await approveOnce(agent, asked.runId, asked.id, approval);
  }
  return true;
}

/** Decides an approval. Keeps the decision of another program that was faster. */
async function approveOnce(agent: BareAgent, runId: string, id: string, approval: Approval): Promise<void> {
  try {
    await agent.runs.approve(runId, id, approval);
  } catch (thrown) {
    const { code } = toErrorData(thrown);
    if (code !== 'usage.not-found' && code !== 'policy.expired') throw thrown;
  }
}

async function askPermission(
  { client, sessionId, cwd }: Editor,
  { path }: OpenQuestion,
  { frameId, key, asks }: Extract<RunEvent, { type: 'approval.requested' }>,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  const { title, kind, locations, content } = describeCall(asks.skill, asks.input, cwd);
  const callers = path.map((name) => `${visible(name)} › `).join('');
  const reason = { type: 'content', content: { type: 'text', text: visible(asks.reason) } } as const;
  const toolCall: ToolCallUpdate = {
    toolCallId: toolCallIdOf(frameId, key),
    title: `${callers}${title}`,
    kind,
    locations,
    content: [...content, reason],
    rawInput: asks.input,
    status: 'pending',
  };
  const { outcome, _meta } = await client.request(
    methods.client.session.requestPermission,
    { sessionId, toolCall, options: optionsFor(asks) },
    { cancellationSignal: signal },
  );
  if (outcome.outcome !== 'selected') return undefined;
  const allowed = longer.find(({ id }) => id === outcome.optionId);
  if (outcome.optionId === once) return { allow: 'once' };
  if (allowed !== undefined) return { allow: allowed.id };
  const text = _meta?.['reason'];
  return { deny: typeof text === 'string' && text.trim() !== '' ? text.trim() : 'The user denied the call.' };
}

const once = 'once';
const longer = [
  { id: 'run', name: (rule: string) => `Allow ${rule} for this answer` },
  { id: 'version', name: () => 'Allow this version of the skill from now on' },
] as const;

/** Returns the decisions that are possible for a call. */
function optionsFor({ each, rule, version }: ApprovalRequest): PermissionOption[] {
  const forRun = each === true ? [] : [longer[0]];
  const forVersion = each === true || version === undefined ? [] : [longer[1]];
  return [
    { optionId: once, name: 'Allow once', kind: 'allow_once' },
    ...[...forRun, ...forVersion].map(({ id, name }): PermissionOption => {
      return { optionId: id, name: name(visible(rule)), kind: 'allow_always' };
    }),
    { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
  ];
}

/**
 * Shows a question as a form in the editor. Resolves to undefined if the editor has no forms or the user
 * closes the form; the user's next prompt then answers the question.
 */
export async function askQuestion(
  { client, sessionId, capabilities }: Editor,
  question: OpenQuestion,
  signal: AbortSignal,
): Promise<Json | undefined> {
  if (capabilities.elicitation?.form === undefined || capabilities.elicitation.form === null)
    return undefined;
  const { message, schema, read } = questionForm(question);
  const requestedSchema = schema as ElicitationSchema;
  const reply: CreateElicitationResponse = await client.request(
    methods.client.elicitation.create,
    { mode: 'form', sessionId, message, requestedSchema },
    { cancellationSignal: signal },
  );
  if (reply.action !== 'accept') return undefined;
  const { content } = reply as { readonly content?: Readonly<Record<string, unknown>> | null };
  return read(content ?? {});
}
