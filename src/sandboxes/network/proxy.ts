import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { AgentError, isAgentError } from '../../core/index.ts';
import type { Dial } from './dial.ts';

/**
 * The maximum number of connections at a time, both from programs and to hosts. The proxy closes or refuses
 * further connections immediately.
 */
const maxConnections = 256;

/** An HTTP proxy that connects only to allowed hosts. */
interface Proxy {
  /** Closes the proxy and all its connections. */
  close(): Promise<void>;
}

/**
 * Starts a proxy that listens on a Unix socket. The proxy does not keep this process alive, and stores no
 * data that it transfers. It closes a connection after `longestSilenceMs` without data.
 */
export async function openProxy(path: string, dial: Dial, longestSilenceMs = 300_000): Promise<Proxy> {
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 30_000, requestTimeout: 0 });
  const open = new Set<Socket>();
  const handleSocket = (socket: Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.setTimeout(longestSilenceMs, () => socket.destroy());
  };
  let dialled = 0; // The number of connections to hosts. One program can request many.
  const dialOpen: Dial = async (host, port) => {
    if (dialled >= maxConnections) throw new AgentError('limit.calls', 'Too many connections at once.');
    dialled += 1;
    const socket = await dial(host, port).catch((thrown: unknown) => {
      dialled -= 1;
      throw thrown;
    });
    socket.on('close', () => (dialled -= 1));
    handleSocket(socket);
    // The proxy was closed while the connection was being established.
    if (!server.listening) socket.destroy();
    return socket;
  };
  server.maxConnections = maxConnections;
  server.timeout = longestSilenceMs; // Limits the idle time between requests.
  server.on('connection', handleSocket);
  server.on('request', (asked, answer) => void passOn(asked, answer, dialOpen));
  server.on('connect', (asked, client, first) => void tunnel(asked.url ?? '', client, first, dialOpen));
  server.listen(path).unref();
  await once(server, 'listening');
  return {
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/**
 * Answers `GET http://host/path`. Sends the same request to the host on a new connection, and returns the
 * host's answer. Never throws.
 */
async function passOn(asked: IncomingMessage, answer: ServerResponse, dial: Dial): Promise<void> {
  try {
    const url = targetOf(asked);
    const server = await dial(url.hostname.replace(/^\[(.*)\]$/, '$1'), Number(url.port || '80'));
    if (answer.destroyed) return void server.destroy(); // The client has disconnected.
    const { method = 'GET' } = asked;
    const headers = { ...ownHeaders(asked.headers), host: url.host };
    const passed = send({
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      createConnection: () => server,
    });
    passed.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, ownHeaders(got.headers));
      pipeline(got, answer, () => undefined); // If one side disconnects, the other is closed too.
    });
    passed.on('error', (thrown) => refuse(answer, thrown));
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  } catch (thrown) {
    refuse(answer, thrown);
  }
}

function targetOf({ url = '' }: IncomingMessage): URL {
  const target = URL.parse(url);
  if (target?.protocol === 'http:') return target;
  throw new AgentError(
    'usage.bad-input',
    'This is a proxy: it accepts only http:// addresses and CONNECT requests.',
  );
}

function refuse(answer: ServerResponse, thrown: unknown): void {
  if (answer.headersSent) return void answer.destroy();
  const { status, reason, headers, body } = proxyAnswer(thrown);
  answer.writeHead(status, reason, headers).end(body);
}

// Headers that apply only to a single connection. The header `connection` can name more of them.
const hops = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'];
const moreHops = ['expect', 'te', 'trailer', 'upgrade', 'http2-settings'];

function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const left = new Set([...hops, ...moreHops, ...named.map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}

/** Answers `CONNECT host:port` by forwarding bytes unchanged in both directions. Never throws. */
async function tunnel(target: string, client: Duplex, first: Buffer, dial: Dial): Promise<void> {
  client.on('error', () => client.destroy()); // The client has disconnected.
  try {
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(target) ?? [];
    if (host === undefined) throw new AgentError('usage.bad-input', 'CONNECT needs a host and a port.');
    const server = await dial(host.replace(/^\[(.*)\]$/, '$1'), Number(port));
    if (client.destroyed) return void server.destroy();
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.write(first);
    joinSockets(client, server);
  } catch (thrown) {
    const { status, reason, headers, body } = proxyAnswer(thrown);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
  }
}

/** Forwards bytes between two connections in both directions. If one fails, the other is closed. */
function joinSockets(one: Duplex, other: Duplex): void {
  const pairs: readonly (readonly [Duplex, Duplex])[] = [
    [one, other],
    [other, one],
  ];
  for (const [from, to] of pairs) {
    from.pipe(to); // A side that has sent everything can still receive data.
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

/** A response from the proxy itself rather than from a host. */
interface ProxyAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the proxy's response if a connection was refused or failed. Pure. */
function proxyAnswer(thrown: unknown): ProxyAnswer {
  const [status, reason] = statusOf(thrown);
  const sentences = isAgentError(thrown) ? [thrown.message, thrown.hint] : ['The connection failed.'];
  const body = `${sentences.filter(Boolean).join(' ')}\n`;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { status, reason, headers, body };
}

function statusOf(thrown: unknown): readonly [number, string] {
  if (!isAgentError(thrown)) return [502, 'Bad Gateway'];
  if (thrown.code === 'policy.denied') return [403, 'Host not granted'];
  if (thrown.code === 'limit.calls') return [503, 'Too many connections'];
  return thrown.code === 'usage.bad-input' ? [400, 'Bad Request'] : [502, 'Bad Gateway'];
}
