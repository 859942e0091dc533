import { randomUUID } from 'node:crypto';
import {
  TaskState,
  type ListTasksRequest,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { createAnswerText } from '../../agent/streams/answer-text.ts';
import {
  AgentError,
  hasEnded,
  optional,
  type RunHandle,
  type RunStatus,
  type RunSummary,
} from '../../core/index.ts';
import { foldRun, resultOf } from '../../views/index.ts';
import { type Caller, askerOf, deciderOf, mustHaveScope, storedSession } from '../caller.ts';
import { decisionIn } from '../chat/take-turn.ts';
import { cursorOf, findOwnRun, readCursor, readEvents } from '../rest/own-runs.ts';
import { strictestLimits } from '../limits/budgets.ts';
import { budgetOf, checkSkill, mustBegin } from '../rest/start-run.ts';
import type { ServerContext } from '../route-group.ts';
import { buildAgentCard } from './agent-card.ts';
import { readTaskMessage, type TaskMessage } from './read-message.ts';
import { answerArtifact, artifactWith, readTask, sessionPrefix, stateOf, textPart } from './tasks.ts';

/** Everything that a request of a caller needs. */
export interface TaskCall {
  readonly context: ServerContext;
  readonly caller: Caller;
  /** Aborts when the client disconnects. Tasks continue. */
  readonly signal: AbortSignal;
  /** The address of the endpoint. */
  readonly url: string;
  /** Reports an error, so that the response can contain its code. */
  readonly failed: (thrown: unknown) => void;
}

/** Creates the handler for one request of the A2A protocol. A task is a run; its context is a session. */
export function createTaskHandler(call: TaskCall): A2ARequestHandler {
  const { context, caller, url, failed } = call;
  const once = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (thrown) {
      failed(thrown);
      throw thrown;
    }
  };
  const noPush = (): Promise<never> => once(() => Promise.reject(unsupportedPush()));
  const card = (): Promise<ReturnType<typeof buildAgentCard>> =>
    once(async () => {
      mustHaveScope(caller, 'skills:read');
      return await Promise.resolve(buildAgentCard(context, caller, url));
    });
  return {
    getAgentCard: card,
    getAuthenticatedExtendedAgentCard: card,
    sendMessage: (request) =>
      once(async () => {
        const { handle } = await begin(call, request);
        if (request.configuration?.returnImmediately !== true) await handle.result;
        return await readTask(context, caller, handle.id, request.configuration?.historyLength);
      }),
    async *sendMessageStream(request) {
      const { handle, after } = await once(() => begin(call, request));
      yield* follow(call, handle.id, after);
    },
    getTask: ({ id, historyLength }) =>
      once(async () => {
        mustHaveScope(caller, 'runs:read');
        return await readTask(context, caller, textId(id), historyLength);
      }),
    cancelTask: ({ id }) => once(() => cancelTask(call, textId(id))),
    async *resubscribe({ id }) {
      const run = await once(async () => {
        mustHaveScope(caller, 'runs:read');
        return await findOwnRun(context, caller, textId(id));
      });
      yield* follow(call, run.id, run.seq, run.status);
    },
    listTasks: (request) => once(() => listTasks(call, request)),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

/** Returns an id as text. The reader for version 0.3 lets other values pass. */
function textId(id: unknown): string {
  if (typeof id === 'string') return id;
  throw new AgentError('usage.bad-input', 'The id of a task must be text.', {
    hint: 'Use the id of the task.',
  });
}

interface BegunTask {
  readonly handle: RunHandle;
  /** The number of events that belong to earlier messages. */
  readonly after: number;
}

async function begin(call: TaskCall, { message }: SendMessageRequest): Promise<BegunTask> {
  const { context, caller } = call;
  mustHaveScope(caller, 'runs:write');
  const read = readTaskMessage(message);
  checkSkill(context, caller, read);
  const limits = strictestLimits(context.limits, await budgetOf(context, caller));
  const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
  if (slot instanceof Error) throw slot;
  try {
    const { taskId, contextId = randomUUID(), prompt, skill, attachments } = read;
    const begun =
      taskId === undefined
        ? {
            after: 0,
            handle: context.agent.run({
              prompt,
              session: storedSession(caller, `${sessionPrefix}${contextId}`),
              assistant: 'open',
              question: null, // Only a message with the id of a task answers its question.
              limits,
              ...askerOf(caller),
              ...optional('skill', skill),
              ...(attachments.length === 0 ? {} : { attachments }),
            }),
          }
        : await continueTask(call, taskId, read);
    context.feeds.attach(begun.handle);
    void begun.handle.result.finally(() => slot[Symbol.dispose]());
    await mustBegin(begun.handle);
    return begun;
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
}

/** Answers the question of a task, or decides its approval. */
async function continueTask(
  { context, caller }: TaskCall,
  id: string,
  message: TaskMessage,
): Promise<BegunTask> {
  const { agent } = context;
  const run = await findOwnRun(context, caller, id);
  const { question } = resultOf(foldRun(await readEvents(await agent.runs.store(), id)));
  if (run.status !== 'waiting' || question === undefined)
    throw new AgentError('usage.conflict', `Task ${id} does not wait for a message.`, {
      hint: 'Send the message without a taskId, in the same context.',
      details: { rpc: -32004 },
    });
  const after = run.seq;
  const { prompt } = message;
  if (question.kind === 'input') {
    const { session } = run;
    const shown = { runId: id, id: question.id };
    return { after, handle: agent.run({ prompt, session, question: shown, ...askerOf(caller) }) };
  }
  mustHaveScope(caller, 'approvals:decide');
  const decision = decisionIn(prompt);
  if (decision === undefined)
    throw new AgentError('usage.bad-input', 'The task waits for an approval.', {
      hint: 'Answer "approve" or "deny".',
    });
  await agent.runs.approve(id, question.id, decision, deciderOf(caller));
  return { after, handle: agent.runs.resume(id) };
}

/** Yields a task, what changes after an event, and at last its state. Ends when the task has ended or waits. */
async function* follow(
  call: TaskCall,
  runId: string,
  after: number,
  status: RunStatus = 'running',
): AsyncGenerator<StreamResponse, void, undefined> {
  const { context, caller, signal, failed } = call;
  try {
    const task = await readTask(context, caller, runId);
    const isOpen = status === 'running' || status === 'interrupted';
    const first = isOpen && after < Infinity ? { ...task, ...working(task) } : task;
    yield { payload: { $case: 'task', value: first } };
    if (!isOpen) return;
    const answer = createAnswerText();
    let isFirst = true;
    const ids = { taskId: runId, contextId: task.contextId };
    const written = (text: string, lastChunk: boolean): StreamResponse => {
      const artifact = artifactWith(answerArtifact, [textPart(text)]);
      const value = { ...ids, artifact, append: !isFirst, lastChunk, metadata: undefined };
      isFirst = false;
      return { payload: { $case: 'artifactUpdate', value } };
    };
    const stop = AbortSignal.any([signal, context.closing]);
    let isOver = false;
    for await (const group of context.feeds.follow(runId, 0, stop)) {
      for (const event of group) {
        const text = answer.add(event);
        if (event.seq > 0 && event.seq <= after) continue;
        if (text !== '') yield written(text, false);
        isOver ||= event.type === 'run.waiting' || event.type === 'run.ended';
      }
      if (isOver) break;
    }
    if (!isOver) return; // The client has gone, or the server closes. The client can subscribe again.
    const end = await readTask(context, caller, runId);
    const { agent } = context;
    const result = resultOf(foldRun(await readEvents(await agent.runs.store(), runId)));
    const rest = result.status === 'done' ? answer.end(result) : '';
    if (rest !== '') yield written(rest, true);
    for (const artifact of end.artifacts.filter(({ artifactId }) => artifactId !== answerArtifact)) {
      const value = { ...ids, artifact, append: false, lastChunk: true, metadata: undefined };
      yield { payload: { $case: 'artifactUpdate', value } };
    }
    const value = { ...ids, status: end.status, metadata: end.metadata };
    yield { payload: { $case: 'statusUpdate', value } };
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  }
}

/** Returns a task that has just been continued as one in progress: the stream follows with its changes. */
function working({ status }: Task): Pick<Task, 'status' | 'artifacts'> {
  return {
    artifacts: [],
    status: { state: stateOf('running'), message: undefined, timestamp: status?.timestamp },
  };
}

async function cancelTask({ context, caller }: TaskCall, id: string): Promise<Task> {
  mustHaveScope(caller, 'runs:write');
  const run = await findOwnRun(context, caller, id);
  if (hasEnded(run.status))
    throw new AgentError('usage.conflict', `Task ${id} has ended.`, {
      hint: 'Only tasks that have not ended can be cancelled.',
      details: { rpc: -32002 },
    });
  await context.agent.runs.cancel(id, undefined, deciderOf(caller));
  return await readTask(context, caller, id);
}

async function listTasks(
  { context, caller }: TaskCall,
  { contextId, status, pageSize = 50, pageToken, historyLength }: ListTasksRequest,
): Promise<{ tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number }> {
  mustHaveScope(caller, 'runs:read');
  const limit = Math.min(100, Math.max(1, Math.trunc(pageSize) || 50));
  const after = pageToken === '' ? undefined : readCursor(pageToken);
  const session = contextId === '' ? undefined : storedSession(caller, `${sessionPrefix}${contextId}`);
  const found = await context.agent.runs.list({
    limit: limit + 1,
    ...optional('after', after),
    ...optional('session', session),
    ...(status === TaskState.TASK_STATE_UNSPECIFIED ? {} : { status: statusesOf(status) }),
    ...(caller.isAdmin ? {} : { user: caller.user?.id ?? '' }),
  });
  const page = found.slice(0, limit);
  const last: RunSummary | undefined = found.length > limit ? page.at(-1) : undefined;
  const tasks = await Promise.all(page.map(({ id }) => readTask(context, caller, id, historyLength)));
  const nextPageToken = last === undefined ? '' : cursorOf(last);
  return { tasks, nextPageToken, pageSize: tasks.length, totalSize: tasks.length };
}

function statusesOf(state: TaskState): readonly RunStatus[] {
  const all: readonly RunStatus[] = ['running', 'interrupted', 'waiting', 'done', 'failed', 'cancelled'];
  return all.filter((status) => stateOf(status) === state);
}

function unsupportedPush(): AgentError {
  return new AgentError('usage.bad-input', 'The server sends no push notifications.', {
    hint: 'Subscribe to the task instead.',
    details: { rpc: -32003 },
  });
}
