import {
  methods,
  type ContentBlock,
  type PromptResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import {
  optional,
  type LimitOptions,
  type PromptIo,
  type RunEvent,
  type RunHandle,
  type RunResult,
  type RunUser,
} from '../core/index.ts';
import { foldRun } from '../views/index.ts';
import { askQuestion, decideApprovals, type Editor } from './ask-editor.ts';
import { readContent } from './prompt.ts';
import { createUpdates } from './updates.ts';

/** A turn of an editor's session. */
export interface Turn {
  readonly content: readonly ContentBlock[];
  /** Cancels the turn. */
  readonly signal: AbortSignal;
  readonly user?: RunUser;
  readonly limits?: LimitOptions;
}

/**
 * Runs a prompt, or lets it answer the session's open question. Sends updates as they happen, asks the editor
 * for approvals and answers, and resolves when the turn is over.
 */
export async function takeTurn(agent: BareAgent, editor: Editor, turn: Turn): Promise<PromptResponse> {
  const { signal } = turn;
  const { sessionId: session, client, cwd } = editor;
  const send = async (updates: readonly SessionUpdate[]): Promise<void> => {
    for (const update of updates)
      await client.notify(methods.client.session.update, { sessionId: session, update });
  };
  const io: PromptIo = { inputReader: (question) => askQuestion(editor, question, signal) };
  let updates = createUpdates(cwd);
  const events: RunEvent[] = [];

  const follow = async (run: RunHandle): Promise<RunResult> => {
    const known = events.length;
    let position = 0;
    for await (const event of run.events) {
      // A resumed run repeats the events that the editor has seen.
      if (event.seq > 0 && ++position <= known) continue;
      if (event.seq > 0) events.push(event);
      await send(updates.add(event));
    }
    return run.result;
  };

  /** Follows a run, and resumes it each time the editor has decided its approvals. */
  const complete = async (run: RunHandle): Promise<RunResult> => {
    let result = await follow(run);
    while (result.status === 'waiting' && result.question?.kind === 'approval' && !signal.aborted) {
      const isDecided = await decideApprovals(agent, editor, events, signal);
      if (!isDecided) await agent.runs.cancel(result.runId, 'The editor cancelled the request.');
      result = await follow(agent.runs.resume(result.runId, { io, signal }));
    }
    return result;
  };

  await finishLast(agent, session, async (id) => {
    const result = await complete(agent.runs.resume(id, { io, signal }));
    await send([...updates.end(result), paragraph]);
    events.length = 0;
    updates = createUpdates(cwd);
  });
  const { user, limits } = turn;
  const result = await complete(
    agent.run({
      ...readContent(turn.content),
      session,
      io,
      signal,
      assistant: agent.session(session).assistant ?? 'open',
      ...optional('user', user),
      ...optional('limits', limits),
    }),
  );
  await send(updates.end(result));
  if (result.error !== undefined && result.status !== 'cancelled') await send([errorUpdate(result.error)]);
  return { stopReason: stopReasonOf(result), _meta: { skilled: metaOf(result, events) } };
}

/** Continues the last turn if its process ended before the turn did, or if it waits for an approval. */
async function finishLast(
  agent: BareAgent,
  session: string,
  resume: (id: string) => Promise<void>,
): Promise<void> {
  const [last] = await agent.runs.list({ session, limit: 1 });
  if (last === undefined) return;
  const isApproval =
    last.status === 'waiting' && (await agent.runs.result(last.id)).question?.kind === 'approval';
  if (last.status === 'interrupted' || isApproval) await resume(last.id);
}

const paragraph: SessionUpdate = {
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: '\n\n' },
};

function errorUpdate({ message, hint }: { readonly message: string; readonly hint?: string }): SessionUpdate {
  const text = hint === undefined ? message : `${message} ${hint}`;
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\n${text}` } };
}

function stopReasonOf({ status, error }: RunResult): StopReason {
  if (status === 'cancelled') return 'cancelled';
  if (error?.code === 'limit.tokens') return 'max_tokens';
  return error?.code.startsWith('limit.') === true ? 'max_turn_requests' : 'end_turn';
}

/** Returns the id, status, cost and tokens of a run for editors that show them. */
function metaOf({ runId, status, error }: RunResult, events: readonly RunEvent[]): Record<string, unknown> {
  const { totalUsage } = foldRun(events);
  return { runId, status, usage: totalUsage, ...optional('errorCode', error?.code) };
}
