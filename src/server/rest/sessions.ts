import { z } from 'zod';
import { optional, type RunSummary, type SessionFacts } from '../../core/index.ts';
import { foldRun } from '../../views/index.ts';
import { notFound, ownsSession, shownSession, storedSession, type Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';
import { defineEndpoint, type Endpoint, type RestCall } from './endpoint.ts';
import { cursorOf, isAlone, readCursor, readEvents } from './own-runs.ts';
import { idParams, messageSchema, pageOf, sessionSchema } from './schemas.ts';

const get = { method: 'get', scope: 'sessions:read' } as const;

/** The endpoints for conversations. */
export const sessionEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...get,
    path: '/v1/sessions',
    id: 'listSessions',
    summary: 'List conversations, last used first',
    response: pageOf(sessionSchema, 'SessionList'),
    async handle(_input, { context, caller }) {
      const { sessions } = await context.agent.getSessionStats();
      const own = sessions.filter(({ sessionId: id }) => ownsSession(caller, id) && !isAlone(id));
      const newest = [...own].sort((one, other) => other.lastAccessTime - one.lastAccessTime);
      return { data: newest.map((facts) => showSession(caller, facts)) };
    },
  }),
  defineEndpoint({
    ...get,
    path: '/v1/sessions/{id}',
    id: 'getSession',
    summary: 'Get a conversation',
    params: idParams,
    response: sessionSchema,
    async handle({ params }, { context, caller }) {
      const stored = storedSession(caller, params.id);
      const { sessions } = await context.agent.getSessionStats();
      const facts = sessions.find(({ sessionId }) => sessionId === stored);
      if (facts !== undefined && !isAlone(stored)) return showSession(caller, facts);
      const [last] = await runsOf(context, caller, stored, { limit: 1 });
      if (last === undefined) throw notFound('session', params.id);
      return { id: shownSession(caller, stored), lastUsedAt: last.updatedAt, isExpired: true };
    },
  }),
  defineEndpoint({
    ...get,
    path: '/v1/sessions/{id}/messages',
    id: 'listMessages',
    summary: 'Get the messages of a conversation, newest run first',
    params: idParams,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(200).optional().describe('The number of runs. Default 50.'),
      cursor: z.string().max(500).optional(),
    }),
    response: pageOf(messageSchema, 'MessageList'),
    async handle({ params, query: { limit = 50, cursor } }, call) {
      const { context, caller } = call;
      const stored = storedSession(caller, params.id);
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const found = await runsOf(context, caller, stored, { limit: limit + 1, ...optional('after', after) });
      if (found.length === 0 && cursor === undefined) await mustExist(call, stored, params.id);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const messages = await Promise.all(page.map((run) => messagesOf(context, run)));
      return { data: messages.flat(), ...optional('cursor', last && cursorOf(last)) };
    },
  }),
  defineEndpoint({
    method: 'delete',
    path: '/v1/sessions/{id}',
    id: 'deleteSession',
    summary: 'Delete a conversation and its memory; its runs stay',
    scope: 'runs:write',
    params: idParams,
    response: z.undefined(),
    status: 204,
    async handle({ params }, { context, caller }) {
      const stored = storedSession(caller, params.id);
      if (!(await context.agent.hasSession(stored))) throw notFound('session', params.id);
      await context.agent.deleteSession(stored);
    },
  }),
];

async function mustExist({ context }: RestCall, stored: string, id: string): Promise<void> {
  if (!(await context.agent.hasSession(stored))) throw notFound('session', id);
}

async function runsOf(
  { agent }: ServerContext,
  caller: Caller,
  session: string,
  page: { readonly limit: number; readonly after?: Pick<RunSummary, 'startedAt' | 'id'> },
): Promise<readonly RunSummary[]> {
  if (isAlone(session)) return [];
  return await agent.runs.list({
    session,
    ...page,
    ...(caller.isAdmin ? {} : { user: caller.user?.id ?? '' }),
  });
}

function showSession(caller: Caller, facts: SessionFacts): object {
  const { sessionId, createdAt, lastAccessTime, isExecuting, isWaiting } = facts;
  const id = shownSession(caller, sessionId);
  return { id, createdAt, lastUsedAt: lastAccessTime, isExecuting, isWaiting };
}

/** Returns what the user and the assistant said in a run. */
async function messagesOf({ agent }: ServerContext, run: RunSummary): Promise<readonly object[]> {
  const { prompt, output, skill, questions } = foldRun(await readEvents(await agent.runs.store(), run.id));
  const { id: runId, status, startedAt, updatedAt } = run;
  const said = output?.text ?? questions[0]?.text;
  const text = prompt ?? run.title;
  return [
    ...(said === undefined ? [] : [{ role: 'assistant', text: said, runId, at: updatedAt, skill, status }]),
    ...(text === '' ? [] : [{ role: 'user', text, runId, at: startedAt }]),
  ];
}
