import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AgentError, reasonOf } from '../../core/index.ts';
import { faultLine } from './context.ts';
import { openMcpEndpoint } from './endpoint.ts';
import type { ServedSkills } from './serve-skills.ts';

/** The address to listen on, and the token that clients must send. */
export interface ListenAddress {
  readonly host: string;
  /** The port number, or 0 for any free port. */
  readonly port: number;
  readonly token: string;
}

/** A server that is listening for connections. */
interface Listening extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves any number of clients with the Streamable HTTP transport. Throws `usage.bad-input` if the port cannot be used.
 */
export async function serveOverHttp(served: ServedSkills, listenAddress: ListenAddress): Promise<Listening> {
  const { serving } = served;
  const report = (error: unknown): void => serving.options.report(faultLine(error));
  const endpoint = await openMcpEndpoint(served);
  const guard = await createRequestGuard(listenAddress);
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const respond = (): Promise<Response> => endpoint.answer(webRequest(incoming, outgoing));
    await sendResponse(guard.refusal(incoming) ?? (await respond()), outgoing);
  };
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch((thrown: unknown) => {
      // If the response has been destroyed, the client has disconnected.
      if (!outgoing.destroyed) report(thrown);
      outgoing.destroy();
    });
  });
  server.maxConnections = 1_000;
  const { address, port } = await listen(server, listenAddress);
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await endpoint[Symbol.asyncDispose]();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const what = isTaken
      ? `Port ${port} on ${host} is already in use.`
      : `Could not listen on port ${port} at ${host}: ${reasonOf(thrown)}.`;
    const hint = isTaken
      ? 'Choose another port with --port, or use --port 0 for any free port.'
      : 'Check --host and --port.';
    throw new AgentError('usage.bad-input', what, { hint, cause: thrown });
  }
  return server.address() as AddressInfo;
}

/** Decides which requests are accepted. */
interface RequestGuard {
  /** Returns the response to a rejected request, or undefined if the request is accepted. */
  refusal(request: IncomingMessage): Response | undefined;
}

/**
 * Creates a guard that accepts only requests to `/mcp` that contain the token, name this machine as their
 * host, and do not come from a web page of another site.
 */
async function createRequestGuard({
  host,
  token,
}: {
  readonly host: string;
  readonly token: string;
}): Promise<RequestGuard> {
  const { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } =
    await import('@modelcontextprotocol/server');
  const own = host.includes(':') ? `[${host}]` : host;
  const hosts = [...localhostAllowedHostnames(), own];
  const origins = [...localhostAllowedOrigins(), own];
  // If the server listens on all addresses, its valid host names are unknown. Web pages still cannot use the
  // server, because they do not have the token.
  const isAnywhere = host === '0.0.0.0' || host === '::';
  return {
    refusal({ url = '', headers }) {
      if (url.split('?')[0] !== '/mcp') return refused(404, 'Not found; MCP is served at /mcp.');
      const named = validateHostHeader(headers.host, hosts);
      if (!named.ok && !isAnywhere) return refused(403, named.message);
      const from = validateOriginHeader(headers.origin, origins);
      if (!from.ok) return refused(403, from.message);
      if (isSame(headers.authorization ?? '', `Bearer ${token}`)) return undefined;
      return refused(401, 'A token is required: Authorization: Bearer …', { 'www-authenticate': 'Bearer' });
    },
  };
}

/** Compares two strings in constant time. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers });
}

/** Converts a Node request to a web request whose signal aborts if the client disconnects early. */
function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('The client disconnected.'));
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

/** Streams a web response to a client. Rejects if the client disconnects. */
async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders(); // Send the headers now, because the first data may take a long time.
  await pipeline(Readable.fromWeb(response.body), outgoing);
}
