import type { Client } from '@modelcontextprotocol/client';
import { AgentError, untilAborted, type ServerPlace } from '../core/index.ts';
import { connectPatiently, type ServerConnection } from './connect.ts';
import { isForgotten, isLoss, serverFault } from './server-fault.ts';

/** Connects with a server, does something with it and closes the connection; what goes wrong is thrown as by a ToolServer. */
export async function withClient<Result>(
  place: ServerPlace,
  work: (client: Client) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const shared = createSharedConnection(place);
  try {
    return await shared.use(signal, ({ client }) => work(client));
  } finally {
    await shared.close();
  }
}

/** The one connection with a server that all requests share. */
interface SharedConnection {
  /** Does something with the server as soon as it is connected; what goes wrong is thrown as it is to be told. */
  use<Result>(signal: AbortSignal, work: (connection: ServerConnection) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface Link {
  readonly made: Promise<ServerConnection>;
  readonly stop: AbortController;
  connection?: ServerConnection;
  users: number;
  isDropped: boolean;
  idle?: NodeJS.Timeout;
  closing?: Promise<void>;
}

/** Connects with the first use, and again after a connection was lost or was not used for so many milliseconds. */
export function createSharedConnection(place: ServerPlace, idleMs = 300_000): SharedConnection {
  const links = new Set<Link>();
  let current: Link | undefined;
  let isClosed = false;
  const closedFault = (): AgentError =>
    new AgentError('server.unreachable', `The connection with the server "${place.name}" was closed.`, {
      hint: 'Whatever it was opened for has ended; begin anew.',
    });

  const close = (link: Link): Promise<void> => {
    clearTimeout(link.idle);
    link.stop.abort(closedFault());
    link.closing ??= link.made
      .then(({ channel }) => channel.close())
      .catch(() => undefined) // it never came to be, and who waited for it was told
      .finally(() => links.delete(link));
    return link.closing;
  };
  const drop = (link: Link): void => {
    if (current === link) current = undefined;
    link.isDropped = true;
    if (link.users === 0) void close(link); // else the last of those who still wait for an answer does
  };
  const open = (): Link => {
    const stop = new AbortController();
    const link: Link = { made: connectPatiently(place, stop.signal), stop, users: 0, isDropped: false };
    link.made.then((connection) => (link.connection = connection)).catch(() => drop(link));
    links.add(link);
    return link;
  };
  const join = (): Link => {
    if (isClosed) throw closedFault();
    if (current?.connection?.isOver() === true) drop(current);
    current ??= open();
    current.users++;
    clearTimeout(current.idle);
    current.connection?.channel.hold(true);
    return current;
  };
  const leave = (link: Link): void => {
    link.users--;
    if (link.users > 0) return;
    link.connection?.channel.hold(false);
    if (link.isDropped || link.connection === undefined) drop(link);
    else link.idle = setTimeout(() => drop(link), idleMs).unref();
  };

  const use = async <Result>(
    signal: AbortSignal,
    work: (connection: ServerConnection) => Promise<Result>,
    isAgain: boolean,
  ): Promise<Result> => {
    signal.throwIfAborted();
    const link = join();
    try {
      const connection = await untilAborted(signal, link.made);
      return await untilAborted(signal, work(connection));
    } catch (thrown) {
      signal.throwIfAborted();
      if (isClosed) throw closedFault(); // else it would look as if the server had ended by itself
      const { connection } = link;
      if (connection === undefined) throw thrown;
      const sdk = await import('@modelcontextprotocol/client');
      const mayAsk = !isAgain && connection.hasSession() && isForgotten(thrown, sdk);
      if (mayAsk || isLoss(thrown, sdk) || connection.isOver()) drop(link);
      if (mayAsk) return await use(signal, work, true);
      throw serverFault(thrown, place, await connection.channel.lastWords(), sdk);
    } finally {
      leave(link);
    }
  };

  return {
    use: (signal, work) => use(signal, work, false),
    async close() {
      isClosed = true;
      current = undefined;
      await Promise.all([...links].map(close));
    },
  };
}
