import { AgentError, optional, type RunStatus } from '../../core/index.ts';
import { artifactsOf, foldRun, type RunArtifact } from '../../views/index.ts';
import { notFound, storedSession } from '../caller.ts';
import { lastEventId, streamEvents } from '../streams/event-stream.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { cursorOf, findOwnRun, readCursor, readEvents, showRun, showSummary } from './own-runs.ts';
import {
  anyJson,
  artifactParams,
  artifactSchema,
  eventsQuery,
  idParams,
  listRunsQuery,
  newRunSchema,
  pageOf,
  runSchema,
  runSummarySchema,
} from './schemas.ts';
import { startNewRun } from './start-run.ts';

const events = 'text/event-stream';

/** The endpoints that start and read runs. */
export const runEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    method: 'post',
    path: '/v1/runs',
    id: 'createRun',
    summary: 'Start a run',
    description:
      'Responds with status 202 when the run is recorded. With `wait`, responds with status 200 when the run has ended or waits for a person. With `stream`, responds with the events as in `GET /v1/runs/{id}/events`. With the header `Idempotency-Key`, a repeated request starts no second run.',
    scope: 'runs:write',
    body: newRunSchema,
    response: runSchema,
    status: 202,
    otherTypes: [events],
    handle: ({ body }, call) => startNewRun(body, call),
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs',
    id: 'listRuns',
    summary: 'List runs, newest first',
    scope: 'runs:read',
    query: listRunsQuery,
    response: pageOf(runSummarySchema, 'RunList'),
    async handle({ query }, { context, caller }) {
      const { status, session, limit = 50, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      if (cursor !== undefined && after === undefined)
        throw new AgentError('usage.bad-input', 'The cursor is not valid.', {
          hint: 'Use the cursor of the previous page.',
        });
      const statuses = status === undefined ? undefined : ([status].flat() as readonly RunStatus[]);
      const found = await context.agent.runs.list({
        limit: limit + 1,
        ...optional('status', statuses),
        ...optional('after', after),
        ...optional('session', session === undefined ? undefined : storedSession(caller, session)),
        ...(caller.isAdmin ? {} : { user: caller.user?.id ?? '' }),
      });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return {
        data: page.map((run) => showSummary(caller, run)),
        ...optional('cursor', last && cursorOf(last)),
      };
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs/{id}',
    id: 'getRun',
    summary: 'Get a run with its result so far',
    scope: 'runs:read',
    params: idParams,
    response: runSchema,
    handle: async ({ params }, { context, caller }) =>
      await showRun(context, caller, await findOwnRun(context, caller, params.id)),
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs/{id}/events',
    id: 'getRunEvents',
    summary: 'Follow the events of a run, or get a page of them',
    description:
      'With `Accept: text/event-stream`, sends server-sent events. The id of an event is its number; continue with `Last-Event-ID`. Pieces of text (`model.delta`) have no id; their `offset` is the position of the piece in the text of its attempt. `run.ended` closes the stream. Otherwise, responds with a page of events as JSON.',
    scope: 'runs:read',
    params: idParams,
    query: eventsQuery,
    response: pageOf(anyJson, 'EventList'),
    otherTypes: [events],
    async handle({ params, query }, { context, caller, request }) {
      const { id } = await findOwnRun(context, caller, params.id);
      if ((request.headers.get('accept') ?? '').includes(events)) {
        const signal = AbortSignal.any([request.signal, context.closing]);
        return streamEvents(context.feeds, { runId: id, after: lastEventId(request), signal });
      }
      const { after = 0, limit = 500 } = query;
      const found = await readEvents(await context.agent.runs.store(), id, after + 1, limit);
      const last = found.length === limit ? found.at(-1) : undefined;
      return { data: found, ...optional('cursor', last && String(last.seq)) };
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs/{id}/tree',
    id: 'getRunTree',
    summary: 'Get the calls of a run as a tree, with times and costs',
    scope: 'runs:read',
    params: idParams,
    response: anyJson,
    async handle({ params }, { context, caller }) {
      const { id } = await findOwnRun(context, caller, params.id);
      return foldRun(await readEvents(await context.agent.runs.store(), id));
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs/{id}/artifacts',
    id: 'listArtifacts',
    summary: 'List the artifacts of a run',
    scope: 'runs:read',
    params: idParams,
    response: pageOf(artifactSchema, 'ArtifactList'),
    async handle({ params }, { context, caller }) {
      const { id } = await findOwnRun(context, caller, params.id);
      const found = artifactsOf(await readEvents(await context.agent.runs.store(), id));
      return { data: found.map(({ text, ...one }) => ({ ...one, characters: text.length })) };
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/runs/{id}/artifacts/{name}',
    id: 'getArtifact',
    summary: 'Get the content of an artifact, by name or number',
    scope: 'runs:read',
    params: artifactParams,
    response: anyJson,
    otherTypes: ['application/octet-stream'],
    async handle({ params }, { context, caller }) {
      const { id } = await findOwnRun(context, caller, params.id);
      const found = artifactsOf(await readEvents(await context.agent.runs.store(), id));
      const artifact =
        found.findLast(({ name }) => name === params.name) ??
        found.find(({ number }) => String(number) === params.name);
      if (artifact === undefined) throw notFound('artifact', params.name);
      return contentOf(artifact);
    },
  }),
];

/** Responds with the content of an artifact as a download, so that a browser never runs it as a page. */
function contentOf({ name, mediaType, text }: RunArtifact): Response {
  const blob = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  const file = encodeURIComponent(name.split('/').at(-1) ?? name);
  return new Response(blob === undefined ? text : Buffer.from(blob, 'base64'), {
    headers: {
      'content-type': /^[\w.+-]+\/[\w.+-]+(?:;[ \w=.-]*)?$/.test(mediaType)
        ? mediaType
        : 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${file}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}
