import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';

/** A text that only a client of the server receives. */
export const serverText = 'canary-server-70d5e2';

/** Local servers that were not granted, and one that was. */
export interface Canaries extends AsyncDisposable {
  readonly port: number;
  readonly grantedPort: number;
  readonly socket: string;
  readonly abstractSocket: string;
  /** Returns the number of requests to servers that were not granted. */
  reached(): number;
  /** Returns the number of requests to the granted server. */
  reachedGranted(): number;
}

/** Opens the servers. The Unix socket is in this folder. */
export async function openCanaries(folder: string): Promise<Canaries> {
  const counts = { forbidden: 0, granted: 0 };
  const open = async (count: keyof typeof counts, where: number | string): Promise<Server> => {
    const server = createServer((client) => {
      counts[count] += 1;
      const text = count === 'granted' ? 'welcome' : serverText;
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}`;
      client.on('error', () => undefined); // a refused client may disconnect without a word
      if (count === 'forbidden') client.write(text); // any protocol
      client.once('data', () => client.end(`${head}\r\nconnection: close\r\n\r\n${text}`));
    });
    if (typeof where === 'number') server.listen(where, '127.0.0.1');
    else server.listen(where);
    await once(server, 'listening');
    return server;
  };
  const socket = join(folder, 'canary.sock');
  const abstractSocket = `\0skilled-canary-${process.pid}`;
  const servers = [
    await open('forbidden', 0),
    await open('granted', 0),
    await open('forbidden', socket),
    await open('forbidden', abstractSocket),
  ];
  const [port = 0, grantedPort = 0] = servers
    .slice(0, 2)
    .map((server) => (server.address() as AddressInfo).port);
  return {
    port,
    grantedPort,
    socket,
    abstractSocket: abstractSocket.slice(1),
    reached: () => counts.forbidden,
    reachedGranted: () => counts.granted,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
    },
  };
}
