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

/** Connections at the same time, on either side; more are closed at once, or refused. */
const mostConnections = 256;

/** A proxy of HTTP that reaches only what its dial reaches. */
interface Proxy {
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/**
 * Listens on a Unix socket; keeps no process alive, and remembers nothing that goes through it. A connection that is
 * silent for so many milliseconds is broken off.
 */
export async function openProxy(path: string, dial: Dial, longestSilenceMs = 300_000): Promise<Proxy> {
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 30_000, requestTimeout: 0 });
  const open = new Set<Socket>();
  const attend = (socket: Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.setTimeout(longestSilenceMs, () => socket.destroy());
  };
  let dialled = 0; // one client may ask for many at once
  const dialOpen: Dial = async (host, port) => {
    if (dialled >= mostConnections) throw new AgentError('limit.calls', 'Too many connections at once.');
    dialled += 1;
    const socket = await dial(host, port).catch((thrown: unknown) => {
      dialled -= 1;
      throw thrown;
    });
    socket.on('close', () => (dialled -= 1));
    attend(socket);
    if (!server.listening) socket.destroy(); // closed while it was being dialled
    return socket;
  };
  server.maxConnections = mostConnections;
  server.timeout = longestSilenceMs; // between requests
  server.on('connection', attend);
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

/** Answers `GET http://host/path`: asks that host the same, on a connection of its own. Never throws. */
async function passOn(asked: IncomingMessage, answer: ServerResponse, dial: Dial): Promise<void> {
  try {
    const url = targetOf(asked);
    const server = await dial(url.hostname.replace(/^\[(.*)\]$/, '$1'), Number(url.port || '80'));
    if (answer.destroyed) return void server.destroy(); // who asked has gone
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
      pipeline(got, answer, () => undefined); // one that breaks off breaks the other off
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
  throw new AgentError('usage.bad-input', 'This is a proxy: it takes http:// addresses and CONNECT.');
}

function refuse(answer: ServerResponse, thrown: unknown): void {
  if (answer.headersSent) return void answer.destroy();
  const { status, reason, headers, body } = proxyAnswer(thrown);
  answer.writeHead(status, reason, headers).end(body);
}

// What concerns one connection and not the message, besides what the header `connection` names.
const hops = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'];
const moreHops = ['expect', 'te', 'trailer', 'upgrade', 'http2-settings'];

function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const left = new Set([...hops, ...moreHops, ...named.map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}

/** Answers `CONNECT host:port`: from then on bytes go to and fro untouched. Never throws. */
async function tunnel(target: string, client: Duplex, first: Buffer, dial: Dial): Promise<void> {
  client.on('error', () => client.destroy()); // who asked has gone
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

/** Passes bytes between two connections in both directions; when one breaks, so does the other. */
function joinSockets(one: Duplex, other: Duplex): void {
  const pairs: readonly (readonly [Duplex, Duplex])[] = [
    [one, other],
    [other, one],
  ];
  for (const [from, to] of pairs) {
    from.pipe(to); // one that only stops sending ends that direction, and may still read
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

/** What a proxy says instead of an answer. */
interface ProxyAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a connection was refused or failed, for whoever asked for it; pure. */
function proxyAnswer(thrown: unknown): ProxyAnswer {
  const [status, reason] = statusOf(thrown);
  const words = isAgentError(thrown) ? [thrown.message, thrown.hint] : ['The connection failed.'];
  const body = `${words.filter(Boolean).join(' ')}\n`;
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
