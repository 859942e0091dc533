import {
  methods,
  type AgentContext,
  type ContentBlock,
  type SessionInfo,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import type { RunEvent } from '../core/index.ts';
import { sessionPrefix } from './editor-sessions.ts';
import { createUpdates } from './updates.ts';

const maxRuns = 1_000; // The maximum number of runs to read.

/** Sends the messages, calls and results of a session's earlier turns to the editor. */
export async function replaySession(
  agent: BareAgent,
  client: AgentContext,
  { sessionId, cwd }: { readonly sessionId: string; readonly cwd: string },
): Promise<void> {
  const send = (update: SessionUpdate): Promise<void> =>
    client.notify(methods.client.session.update, { sessionId, update });
  for (const { id } of (await agent.runs.list({ session: sessionId, limit: maxRuns })).toReversed()) {
    const events = await agent.runs.events(id);
    const started = events.find((event) => event.type === 'run.started');
    if (started?.prompt === undefined) continue;
    for (const content of promptBlocks(started)) await send({ sessionUpdate: 'user_message_chunk', content });
    const updates = createUpdates(cwd);
    for (const event of events) for (const update of updates.add(event)) await send(update);
    for (const update of updates.end(await agent.runs.result(id))) await send(update);
  }
}

function promptBlocks({ prompt = '', attachments = [] }: RunStartedEvent): readonly ContentBlock[] {
  const pictures = attachments.map(({ name }) => `[${name}]`).join(' ');
  return [{ type: 'text', text: pictures === '' ? prompt : `${prompt}\n\n${pictures}` }];
}

type RunStartedEvent = Extract<RunEvent, { type: 'run.started' }>;

/** Lists the sessions that editors opened in a project, the latest first. */
export async function listSessions(agent: BareAgent, cwd: string): Promise<SessionInfo[]> {
  const sessions = new Map<string, SessionInfo>();
  for (const { session, title, updatedAt } of await agent.runs.list({ limit: maxRuns })) {
    if (!session.startsWith(sessionPrefix)) continue;
    const at = sessions.get(session)?.updatedAt ?? new Date(updatedAt).toISOString();
    sessions.set(session, { sessionId: session, cwd, title, updatedAt: at });
  }
  return [...sessions.values()];
}
