import type { Client } from '@modelcontextprotocol/client';
import { AgentError, untilAborted, type ServerEndpoint } from '../core/index.ts';
import { connectPatiently, type ServerConnection } from './connect.ts';
import { isForgotten, isLoss, serverFault } from './server-fault.ts';

/**
 * Connects to a server, calls `work` with the client and closes the connection. Throws the same errors as a
 * `ToolServer`.
 */
export async function withClient<Result>(
  endpoint: ServerEndpoint,
  work: (client: Client) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const shared = createSharedConnection(endpoint);
  try {
    return await shared.use(signal, ({ client }) => work(client));
  } finally {
    await shared.close();
  }
}

/** A connection that all requests to a server share. */
interface SharedConnection {
  /** Connects if necessary and calls `work`. Converts failures to errors for users. */
  use<Result>(signal: AbortSignal, work: (connection: ServerConnection) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface Link {
  readonly opened: Promise<ServerConnection>;
  readonly stop: AbortController;
  connection?: ServerConnection;
  users: number;
  isDropped: boolean;
  idle?: NodeJS.Timeout;
  closing?: Promise<void>;
}

/**
 * Creates a connection that opens on first use and closes after it has been idle for `idleMs` milliseconds.
 * If it was closed or lost, the next use opens it again.
 */
export function createSharedConnection(endpoint: ServerEndpoint, idleMs = 300_000): SharedConnection {
  const links = new Set<Link>();
  let current: Link | undefined;
  let isClosed = false;
  const closedFault = (): AgentError =>
    new AgentError('server.unreachable', `The connection to the server "${endpoint.name}" was closed.`, {
      hint: 'The run or session that used it has ended; start again.',
    });

  const close = (link: Link): Promise<void> => {
    clearTimeout(link.idle);
    link.stop.abort(closedFault());
    link.closing ??= link.opened
      .then(({ channel }) => channel.close())
      .catch(() => undefined) // The callers of a failed connection have already received its error.
      .finally(() => links.delete(link));
    return link.closing;
  };
  const drop = (link: Link): void => {
    if (current === link) current = undefined;
    link.isDropped = true;
    // If the connection is in use, its last user closes it.
    if (link.users === 0) void close(link);
  };
  const open = (): Link => {
    const stop = new AbortController();
    const link: Link = { opened: connectPatiently(endpoint, stop.signal), stop, users: 0, isDropped: false };
    link.opened.then((connection) => (link.connection = connection)).catch(() => drop(link));
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
  const release = (link: Link): void => {
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
      const connection = await untilAborted(signal, link.opened);
      return await untilAborted(signal, work(connection));
    } catch (thrown) {
      signal.throwIfAborted();
      // After `close`, throw this error, because other errors would suggest that the server had failed.
      if (isClosed) throw closedFault();
      const { connection } = link;
      if (connection === undefined) throw thrown;
      const sdk = await import('@modelcontextprotocol/client');
      const mayAsk = !isAgain && connection.hasSession() && isForgotten(thrown, sdk);
      if (mayAsk || isLoss(thrown, sdk) || connection.isOver()) drop(link);
      if (mayAsk) return await use(signal, work, true);
      throw serverFault(thrown, endpoint, await connection.channel.failureDetails(), sdk);
    } finally {
      release(link);
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
