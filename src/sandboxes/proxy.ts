import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { AgentError } from '../core/error.ts';
import type { Dial } from './network-dial.ts';
import { passOn } from './proxy-request.ts';
import { tunnel } from './proxy-tunnel.ts';

/** Connections at the same time, on either side; more are closed at once, or refused. */
const mostConnections = 256;

/** A proxy of HTTP that reaches only what its dial reaches. */
export interface Proxy {
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
