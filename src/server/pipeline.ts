import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentError, isAgentError, reasonOf, toErrorData } from '../core/index.ts';
import { readBody, type BodyLimits } from './body.ts';
import { callerOf, localPrincipal, type Caller } from './caller.ts';
import { checkSource, corsHeaders, isSameOrigin } from './guard.ts';
import { freeingAtEnd } from './limits/slots.ts';
import type { Login } from './login.ts';
import type { Metrics } from './metrics.ts';
import type { ServerParts } from './parts.ts';
import { problemResponse } from './problem.ts';
import { findGroup, type GroupHandler, type RouteGroup, type ServerContext } from './route-group.ts';

/** Everything that the way of a request through the server needs. */
interface PipelineOptions {
  readonly context: ServerContext;
  readonly parts: ServerParts;
  readonly login: Login;
  readonly metrics: Metrics;
  readonly guard: { readonly hosts: string[]; readonly origins: string[] };
  readonly body: BodyLimits;
  readonly groups: readonly RouteGroup[];
}

type Headers_ = Readonly<Record<string, string>>;

/** The way of every request: source, key, rate, body, and then its group of routes. */
export interface Pipeline {
  fetch(request: Request): Promise<Response>;
  /** Returns the handler for `node:http`. */
  listener(): Promise<(incoming: IncomingMessage, outgoing: ServerResponse) => unknown>;
  /** Accepts another host name. */
  addHost(name: string): void;
  close(): Promise<void>;
}

/** Creates the pipeline of a server. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { context, groups, guard, metrics } = options;
  const handlers = new Map<RouteGroup, Promise<GroupHandler>>();
  const open = (group: RouteGroup): Promise<GroupHandler> => {
    const known = handlers.get(group) ?? group.open(context);
    handlers.set(group, known);
    known.catch(() => handlers.delete(group)); // The next request tries again.
    return known;
  };
  const fetch = async (request: Request): Promise<Response> => {
    const begun = performance.now();
    const path = pathOf(request.url, groups);
    const group = path === undefined ? undefined : findGroup(groups, path);
    const extra: Record<string, string> = {};
    let response: Response;
    try {
      response = await answer(options, { request, path, group, extra, open });
    } catch (thrown) {
      if (!isAgentError(thrown)) context.report(`${request.method} ${path ?? ''}: ${reasonOf(thrown)}`);
      response = group?.refuse?.(toErrorData(thrown), extra) ?? problemResponse(thrown, extra);
    }
    metrics.record(
      group?.name ?? 'none',
      request.method,
      response.status,
      (performance.now() - begun) / 1_000,
    );
    return withHeaders(response, { ...extra, ...corsHeaders(request, guard) });
  };
  return {
    fetch,
    async listener() {
      const { getRequestListener } = await import('@hono/node-server');
      return getRequestListener(fetch, { overrideGlobalObjects: false });
    },
    addHost: (name) => void guard.hosts.push(name),
    async close() {
      const opened = await Promise.allSettled(handlers.values());
      for (const handler of opened) if (handler.status === 'fulfilled') await handler.value.close?.();
    },
  };
}

interface Incoming {
  readonly request: Request;
  readonly path: string | undefined;
  readonly group: RouteGroup | undefined;
  /** Headers of the response, filled in on the way. */
  readonly extra: Record<string, string>;
  readonly open: (group: RouteGroup) => Promise<GroupHandler>;
}

async function answer(options: PipelineOptions, incoming: Incoming): Promise<Response> {
  const { parts, guard, login, context } = options;
  const { request, path, group, extra, open } = incoming;
  if (path === undefined)
    throw new AgentError('usage.bad-input', 'The path of the request is not valid.', {
      hint: 'Use plain paths without "..", "//" or encoded slashes.',
    });
  checkSource(request, guard);
  if (request.method === 'OPTIONS') return new Response(null, { status: 204 });
  if (path === signInPath) return signIn(request, login);
  if (group === undefined) throw noRoute(path);
  if (group.isPublic === true) return await (await open(group)).handle(request, callerOf(localPrincipal));
  if (context.draining.aborted)
    throw new AgentError('limit.busy', 'The server is shutting down.', {
      hint: 'Send the request again, to another server or in a while.',
    });
  const caller = await findCaller(options, request);
  const { allowed, headers } = await parts.takeRate(caller);
  Object.assign(extra, headers);
  if (!allowed)
    throw new AgentError('limit.busy', `The key "${caller.principal.keyName}" sends too many requests.`, {
      hint: 'Wait as long as the header Retry-After says.',
      details: { of: 'key' },
    });
  const slot = parts.requestSlots.enter(caller.principal, caller.principal.connections);
  if (slot instanceof Error) throw slot;
  try {
    const handler = await open(group);
    const response = await handler.handle(await withBody(request, options.body), caller);
    return freeingAtEnd(response, slot);
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
}

const signInPath = '/sign-in';

/** Exchanges the token in an address for a cookie. */
function signIn(request: Request, login: Login): Response {
  const { searchParams, protocol } = new URL(request.url);
  const isSecure = protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https';
  const response = login.exchange(searchParams.get('token') ?? '', isSecure);
  if (request.method === 'GET' && response !== undefined) return response;
  throw new AgentError('policy.unauthenticated', 'This address was used before, or has expired.', {
    hint: 'Start the server again to get a new address.',
  });
}

/** Finds out who sends a request: the owner of a key, or the person who signed in with the printed address. */
async function findCaller({ parts, login }: PipelineOptions, request: Request): Promise<Caller> {
  const { headers, method } = request;
  const hasKey = headers.has('authorization') || headers.has('x-api-key');
  if (!hasKey && login.isSignedIn(headers)) {
    // A page of another site must not act with the cookie, even if the browser sends it.
    if (method === 'GET' || method === 'HEAD' || isSameOrigin(request)) return callerOf(localPrincipal);
    throw new AgentError('policy.denied', 'The request uses a cookie, but does not come from this server.', {
      hint: 'Use a key instead.',
    });
  }
  return await parts.authenticate(headers);
}

/** Returns the request with its body in memory, within the limits. */
async function withBody(request: Request, limits: BodyLimits): Promise<Request> {
  if (request.method === 'GET' || request.method === 'HEAD') return request;
  const body = await readBody(request, limits);
  const { method, headers, signal } = request;
  return new Request(request.url, { method, headers, signal, ...(body === '' ? {} : { body }) });
}

/** Returns the path of a request, or undefined if two programs could read it differently. */
function pathOf(url: string, groups: readonly RouteGroup[]): string | undefined {
  const { pathname } = new URL(url);
  if (/%5c|%00|\\|\/\/|%2e/i.test(pathname)) return undefined;
  const isName = groups.some(
    ({ encodedNames }) => encodedNames !== undefined && pathname.startsWith(encodedNames),
  );
  return /%2f/i.test(pathname) && !isName ? undefined : pathname;
}

function noRoute(path: string): AgentError {
  return new AgentError('usage.not-found', `The server has nothing at ${path.slice(0, 200)}.`, {
    hint: 'See /openapi.json for all paths.',
  });
}

function withHeaders(response: Response, headers: Headers_): Response {
  for (const [name, value] of Object.entries({ ...safety, ...headers }))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

const safety: Headers_ = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};
