import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AgentError, reasonOf } from '../../core/index.ts';
import { buildServer, type SessionOf } from './build-server.ts';
import { faultLine } from './context.ts';
import type { ServedSkills } from './serve-skills.ts';
import { createOlderSessions } from './sessions.ts';

/** Where clients come to, and what they must know. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly token: string;
}

/** A server that clients reach. */
interface Listening extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves any number of clients over streamable HTTP. Older revisions have a session for each client; of the others each call
 * has one of its own, unless the client names one. Throws `usage.bad-input` where the port cannot be had.
 */
export async function serveOverHttp(served: ServedSkills, place: ListenAddress): Promise<Listening> {
  const { createMcpHandler, isLegacyRequest } = await import('@modelcontextprotocol/server');
  const { serving } = served;
  const report = (error: unknown): void => serving.options.report(faultLine(error));
  const modern = createMcpHandler(() => buildServer(serving, sessionOf), {
    legacy: 'reject',
    onerror: report,
  });
  const older = await createOlderSessions(served);
  const door = await createDoor(place);
  const stop = served.onChange((what) => {
    if (what === 'tools') modern.notify.toolsChanged();
    else modern.notify.resourcesChanged();
  });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const respond = async (): Promise<Response> => {
      const request = webRequest(incoming, outgoing);
      return (await isLegacyRequest(request)) ? older.answer(request) : modern.fetch(request);
    };
    await sendResponse(door.refusal(incoming) ?? (await respond()), outgoing);
  };
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch((thrown: unknown) => {
      if (!outgoing.destroyed) report(thrown); // else the client went away
      outgoing.destroy();
    });
  });
  server.maxConnections = 1_000;
  const { address, port } = await listen(server, place);
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      stop();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([modern.close(), older.close()]);
      server.closeAllConnections();
      await closed;
      await serving.errands.done();
    },
  };
}

/** Where a client names the session whose memory its call uses. */
const sessionKey = 'skilled/session';

const sessionOf: SessionOf = ({ mcpReq }) => {
  const named = mcpReq._meta?.[sessionKey];
  const isNamed = typeof named === 'string' && /^[\w.-]{16,100}$/.test(named);
  return { id: `mcp-${isNamed ? named : randomUUID()}`, isPassing: !isNamed };
};

async function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const what = isTaken
      ? `Port ${port} of ${host} is taken.`
      : `Nothing can listen on port ${port} of ${host}: ${reasonOf(thrown)}.`;
    const hint = isTaken
      ? 'Name another with --port, or --port 0 for any that is free.'
      : 'Check --host and --port.';
    throw new AgentError('usage.bad-input', what, { hint, cause: thrown });
  }
  return server.address() as AddressInfo;
}

/** Who may come in. */
interface Door {
  /** The answer to a request that is not let in. */
  refusal(request: IncomingMessage): Response | undefined;
}

/** Lets in who asks for the one path under a name of this machine, from no foreign page, and knows the token. */
async function createDoor({ host, token }: { readonly host: string; readonly token: string }): Promise<Door> {
  const { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } =
    await import('@modelcontextprotocol/server');
  const own = host.includes(':') ? `[${host}]` : host;
  const hosts = [...localhostAllowedHostnames(), own];
  const origins = [...localhostAllowedOrigins(), own];
  const isAnywhere = host === '0.0.0.0' || host === '::'; // its names are not known, and the token keeps pages out
  return {
    refusal({ url = '', headers }) {
      if (url.split('?')[0] !== '/mcp') return refused(404, 'There is nothing here; MCP is served at /mcp.');
      const named = validateHostHeader(headers.host, hosts);
      if (!named.ok && !isAnywhere) return refused(403, named.message);
      const from = validateOriginHeader(headers.origin, origins);
      if (!from.ok) return refused(403, from.message);
      if (isSame(headers.authorization ?? '', `Bearer ${token}`)) return undefined;
      return refused(401, 'A token is needed: Authorization: Bearer …', { 'www-authenticate': 'Bearer' });
    },
  };
}

/** Takes the same time whatever is given. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers });
}

/** A request of Node as one of the web; its signal is aborted when the client goes away before it is answered. */
function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('The client went away.'));
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  const { method = 'GET' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request('http://localhost/mcp', {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' as const } : {}),
  });
}

/** Sends a response of the web, piece by piece; rejects when the client goes away. */
async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders(); // a stream may say nothing for long
  await pipeline(Readable.fromWeb(response.body), outgoing);
}
