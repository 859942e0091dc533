import type { Client } from '@modelcontextprotocol/client';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import { createSharedConnection } from './shared-connection.ts';

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
