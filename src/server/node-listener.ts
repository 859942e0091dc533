import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AgentError, reasonOf } from '../core/index.ts';

/** The address to listen on. */
export interface ListenOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** The port, or 0 for any free port. Default 0. */
  readonly port?: number;
}

/** A server that listens. Disposing it closes its connections. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

const maxConnections = 5_000;

/**
 * Listens on an address, with limits for slow and broken clients. Throws `usage.bad-input` if the port cannot
 * be used; `details.isTaken` says whether another program uses it.
 */
export async function listenOn(
  handler: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
  { host = '127.0.0.1', port = 0 }: ListenOptions,
): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 << 10,
      insecureHTTPParser: false,
    },
    (incoming, outgoing) => {
      if (hasDuplicates(incoming.rawHeaders)) return refuse(outgoing);
      void handler(incoming, outgoing);
    },
  );
  server.maxConnections = maxConnections;
  // A client that takes nothing of a response for this long is gone.
  server.setTimeout(120_000);
  server.on('clientError', (_error: Error, socket: Socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
  const { address, port: chosen } = await listen(server, host, port);
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${chosen}`,
    port: chosen,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Headers that must not be repeated, because programs disagree about which one counts. */
const single = ['host', 'authorization', 'x-api-key', 'content-length', 'origin', 'transfer-encoding'];

function hasDuplicates(raw: readonly string[]): boolean {
  const seen = new Set<string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    if (!single.includes(name)) continue;
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(400, { connection: 'close', 'content-length': '0' });
  outgoing.end();
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
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
    throw new AgentError('usage.bad-input', what, { hint, cause: thrown, details: { isTaken } });
  }
  return server.address() as AddressInfo;
}
