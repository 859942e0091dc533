import { Role, TaskState, type Artifact, type Message, type Part, type Task } from '@a2a-js/sdk';
import {
  optional,
  type OpenQuestion,
  type RunEvent,
  type RunResult,
  type RunStatus,
  type RunSummary,
} from '../../core/index.ts';
import { artifactsOf, foldRun, resultOf, type RunArtifact } from '../../views/index.ts';
import { shownSession, type Caller } from '../caller.ts';
import { findOwnRun, readEvents } from '../rest/own-runs.ts';
import type { ServerContext } from '../route-group.ts';

/** The beginning of the ids of the sessions that hold the contexts of this API. */
export const sessionPrefix = 'a2a-';

/** The id of the artifact with the answer of a task. */
export const answerArtifact = 'answer';

/** Returns one of the caller's runs as a task. Throws `usage.not-found` for every other id. */
export async function readTask(
  context: ServerContext,
  caller: Caller,
  id: string,
  historyLength?: number,
): Promise<Task> {
  const run = await findOwnRun(context, caller, id);
  return taskOf(caller, run, await readEvents(await context.agent.runs.store(), id), historyLength);
}

/** Returns a run as a task. Pure. */
export function taskOf(
  caller: Caller,
  run: RunSummary,
  events: readonly RunEvent[],
  historyLength = Infinity,
): Task {
  const tree = foldRun(events);
  const result = resultOf(tree);
  const ids = { taskId: run.id, contextId: contextOf(caller, run) };
  const said = tree.prompt ?? run.title;
  const history = [messageOf({ ...ids, id: 'request', role: Role.ROLE_USER, parts: [textPart(said)] })];
  return {
    id: run.id,
    contextId: ids.contextId,
    status: {
      state: stateOf(run.status),
      message: statusMessage(run, result, ids),
      timestamp: new Date(run.updatedAt).toISOString(),
    },
    artifacts: [...artifactsOf(events).map(showArtifact), ...answerOf(result)],
    history: history.slice(0, Math.max(0, historyLength)),
    metadata: { skill: result.skill, usage: { ...result.usage } },
  };
}

/** Returns the context that a run belongs to, as its user knows it. */
export function contextOf(caller: Caller, { session }: RunSummary): string {
  const shown = shownSession(caller, session);
  return shown.startsWith(sessionPrefix) ? shown.slice(sessionPrefix.length) : shown;
}

/** Returns the state of a task whose run has a status. Pure. */
export function stateOf(status: RunStatus): TaskState {
  return states[status];
}

const states: Readonly<Record<RunStatus, TaskState>> = {
  running: TaskState.TASK_STATE_WORKING,
  interrupted: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_INPUT_REQUIRED,
  done: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

function statusMessage(
  { seq }: RunSummary,
  { status, question, error }: RunResult,
  ids: TaskIds,
): Message | undefined {
  const from = { ...ids, id: `status-${seq}`, role: Role.ROLE_AGENT };
  if (status === 'waiting' && question !== undefined)
    return messageOf({
      ...from,
      parts: [textPart(questionText(question, ids.taskId))],
      metadata: asked(question),
    });
  if (error === undefined || status === 'done') return undefined;
  const { code, message, hint } = error;
  return messageOf({
    ...from,
    parts: [textPart(code === 'internal.bug' ? 'The server failed unexpectedly.' : message)],
    metadata: { code, ...optional('hint', hint) },
  });
}

function questionText({ text, kind, id }: OpenQuestion, runId: string): string {
  if (kind === 'input') return text;
  return `${text}\n\nApproval ${runId}.${id} is pending. Answer "approve" or "deny".`;
}

function asked({ id, kind, options, schema }: OpenQuestion): Record<string, unknown> {
  return { question: id, kind, ...optional('options', options), ...optional('schema', schema) };
}

function answerOf({ status, text, value }: RunResult): readonly Artifact[] {
  if (status !== 'done') return [];
  const parts = [
    ...(text === '' ? [] : [textPart(text)]),
    ...(value === undefined || typeof value === 'string' ? [] : [dataPart(value)]),
  ];
  return parts.length === 0 ? [] : [artifactWith(answerArtifact, parts)];
}

function showArtifact({ number, name, mediaType, text }: RunArtifact): Artifact {
  const blob = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  const content =
    blob === undefined
      ? ({ $case: 'text', value: text } as const)
      : ({ $case: 'raw', value: Buffer.from(blob, 'base64') } as const);
  const part: Part = { content, metadata: undefined, filename: name, mediaType };
  return { ...artifactWith(`artifact-${number}`, [part]), name };
}

/** Returns an artifact with these parts. Pure. */
export function artifactWith(artifactId: string, parts: Part[]): Artifact {
  return { artifactId, name: artifactId, description: '', parts, metadata: undefined, extensions: [] };
}

/** Returns a part with text. Pure. */
export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
}

interface MessageFields extends TaskIds {
  readonly id: string;
  readonly role: Role;
  readonly parts: Part[];
  readonly metadata?: Record<string, unknown>;
}

function messageOf({ taskId, contextId, id, role, parts, metadata }: MessageFields): Message {
  const messageId = `${taskId}-${id}`;
  return { messageId, contextId, taskId, role, parts, metadata, extensions: [], referenceTaskIds: [] };
}
