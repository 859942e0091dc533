import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import type { Json, LimitOptions } from '../core/index.ts';
import { refuseA2a } from './a2a/errors.ts';
import { refuseAnthropic } from './anthropic/errors.ts';
import { defaultBodyLimits, type BodyLimits } from './body.ts';
import { createContinuation } from './continue-runs.ts';
import { healthGroup } from './health.ts';
import type { OidcOptions } from './keys/oidc.ts';
import type { RequestRate } from './keys/principal.ts';
import { createLogin } from './login.ts';
import { createMetrics } from './metrics.ts';
import { listenOn, type ListenOptions, type Listening } from './node-listener.ts';
import { openaiError } from './openai/errors.ts';
import { openParts } from './parts.ts';
import { createPipeline } from './pipeline.ts';
import type { RouteGroup } from './route-group.ts';

/** Options for a server. */
export interface ServerOptions {
  /**
   * Whether requests need a key from the agent's store. Without keys, everyone who can reach the server may do
   * everything, so bind it to this machine only. Default false.
   */
  readonly keys?: boolean;
  /** Accepts the tokens of an identity provider as well. Needs `keys`. */
  readonly oidc?: OidcOptions;
  /** Host names under which clients reach the server, besides those of this machine. `*` accepts all. */
  readonly hosts?: readonly string[];
  /** Origins of other web pages that may use the server. */
  readonly origins?: readonly string[];
  /** The rate of keys that have none of their own. Default: no limit. */
  readonly rate?: RequestRate;
  /** The maximum number of runs in progress. Default 200. */
  readonly maxRuns?: number;
  /** The maximum number of requests in progress, including streams. Default 2,000. */
  readonly maxRequests?: number;
  /** The limits for the body of a request. */
  readonly body?: Partial<BodyLimits>;
  /** The limits of each run. A request can only lower them. */
  readonly limits?: LimitOptions;
  /** Whether to continue runs of servers that have crashed. Default true. */
  readonly continuesRuns?: boolean;
  /** Returns the models that runs can use, for `GET /v1/models`. Default: none are listed. */
  readonly models?: () => Promise<Json>;
  /** The version of the program, as shown to clients. */
  readonly version?: string;
  /** Reports an error that does not belong to a request, as one line. */
  readonly report?: (line: string) => void;
}

/** Options for a server that also has routes of the package's other parts. */
export interface GroupedServerOptions extends ServerOptions {
  /** Other groups of routes. They take precedence over the server's own. */
  readonly groups?: readonly RouteGroup[];
}

/** A server for one agent. */
export interface AgentServer extends AsyncDisposable {
  /** Answers a request. Works in every program that has the standard `Request` and `Response`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Answers a request of `node:http`. */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Listens on an address. Throws `usage.bad-input` if the port cannot be used. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Returns a token that signs a person in to the web page, once: `/sign-in?token=…`. */
  issueToken(): string;
  /**
   * Refuses new requests with status 503, waits up to `drainMs` (default 10,000) for runs and streams, then
   * closes all connections. Does not shut the agent down.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Creates a server. It reads nothing from disk and opens no port before `listen`. */
export function createServer(agent: BareAgent, options: GroupedServerOptions = {}): AgentServer {
  const { report = () => undefined, hosts = [], origins = [] } = options;
  const draining = new AbortController();
  const closing = new AbortController();
  const metrics = createMetrics();
  const login = createLogin();
  const parts = openParts(agent, options, { draining: draining.signal, closing: closing.signal, report });
  const { context, requestSlots } = parts;
  const continuation = createContinuation(context, options.continuesRuns !== false);
  const pipeline = createPipeline({
    context,
    parts,
    login,
    metrics,
    guard: { hosts: [...hosts], origins: [...origins] },
    body: { ...defaultBodyLimits, ...options.body },
    groups: [...(options.groups ?? []), healthGroup({ metrics, agent }), ...ownGroups],
  });
  metrics.gauge('skilled_runs_in_progress', 'Runs that this process works on.', () => context.runSlots.taken);
  metrics.gauge('skilled_requests_in_progress', 'Requests, including streams.', () => requestSlots.taken);
  metrics.gauge('skilled_stream_followers', 'Open streams of events.', () => context.feeds.followers);
  metrics.gauge('skilled_draining', '1 if the server refuses new requests.', () =>
    draining.signal.aborted ? 1 : 0,
  );
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());

  const open = new Set<Listening>();
  let closed: Promise<void> | undefined;
  const close = async (drainMs: number): Promise<void> => {
    draining.abort();
    continuation.stop();
    await parts.idle('runs', drainMs);
    closing.abort(); // Streams of runs that wait for a person would never end by themselves.
    await parts.idle('requests', lastWait);
    await Promise.all([...open].map((listening) => listening[Symbol.asyncDispose]()));
    await pipeline.close();
  };
  const server: AgentServer = {
    fetch: async (request) => {
      continuation.begin();
      return await pipeline.fetch(request);
    },
    listener: (incoming, outgoing) => {
      void pipeline.listener().then((listener) => listener(incoming, outgoing));
    },
    async listen(where = {}) {
      const listening = await listenOn(await pipeline.listener(), where);
      const { hostname } = new URL(listening.url);
      pipeline.addHost(hostname);
      open.add(listening);
      continuation.begin();
      return listening;
    },
    issueToken: () => login.issue(),
    close: ({ drainMs = 10_000 } = {}) => (closed ??= close(drainMs)),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return server;
}

const lastWait = 1_000; // The time for responses to be sent before connections are closed, in milliseconds.

/** The server's own groups. Each loads with its first request. */
const ownGroups: readonly RouteGroup[] = [
  {
    name: 'openai',
    paths: ['/openai/v1'],
    encodedNames: '/openai/v1/models/',
    open: async (context) => (await import('./openai/openai-group.ts')).openOpenAi(context),
    refuse: openaiError,
  },
  {
    name: 'rest',
    paths: ['/v1'],
    open: async (context) => (await import('./rest/rest-group.ts')).openRest(context),
  },
  {
    name: 'openapi',
    paths: ['/openapi.json'],
    isPublic: true,
    open: async (context) => (await import('./rest/rest-group.ts')).openDescription(context),
  },
  {
    name: 'mcp',
    paths: ['/mcp'],
    open: async (context) => (await import('./mcp/mcp-group.ts')).openMcpGroup(context),
  },
  {
    name: 'anthropic',
    paths: ['/anthropic'],
    open: async (context) => (await import('./anthropic/anthropic-group.ts')).openAnthropic(context),
    refuse: refuseAnthropic,
  },
  {
    name: 'a2a',
    paths: ['/a2a', '/.well-known/agent-card.json'],
    open: async (context) => (await import('./a2a/a2a-group.ts')).openA2a(context),
    refuse: refuseA2a,
  },
];
