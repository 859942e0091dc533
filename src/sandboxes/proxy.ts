import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Dial } from './network-dial.ts';
import { passOn } from './proxy-request.ts';
import { tunnel } from './proxy-tunnel.ts';

/** Connections at the same time; more are closed at once. */
const mostConnections = 256;

/** Milliseconds that a connection may be silent. */
const longestSilenceMs = 300_000;

/** A proxy of HTTP that reaches only what its dial reaches. */
export interface Proxy {
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** Listens on a Unix socket; keeps no process alive, and remembers nothing that goes through it. */
export async function openProxy(path: string, dial: Dial): Promise<Proxy> {
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 30_000, requestTimeout: 0 });
  const open = new Set<Socket>();
  const attend = (socket: Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.setTimeout(longestSilenceMs, () => socket.destroy());
  };
  const dialOpen: Dial = async (host, port) => {
    const socket = await dial(host, port);
    attend(socket);
    if (!server.listening) socket.destroy(); // closed while it was being dialled
    return socket;
  };
  server.maxConnections = mostConnections;
  server.on('connection', attend);
  server.on('request', (asked, answer) => void passOn(asked, answer, dialOpen));
  server.on('connect', (asked, client, first) => void tunnel(asked.url ?? '', client, first, dialOpen));
  server.listen(path).unref();
  await once(server, 'listening');
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
