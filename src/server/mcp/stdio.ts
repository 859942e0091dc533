import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { buildServer } from './build-server.ts';
import { faultLine } from './context.ts';
import type { ServedSkills } from './serve-skills.ts';
import { notifyClients } from './serve-skills.ts';

/** A client that is connected over two streams. */
interface StdioClient extends AsyncDisposable {
  /** Resolves when the client closes the connection. */
  readonly ended: Promise<unknown>;
}

const longestMessage = 64 << 20; // The maximum size of the input buffer, in bytes.

/**
 * Serves one client over two streams. Writes only protocol messages to the output. All calls of the client
 * share one session.
 */
export async function serveOverStdio(
  served: ServedSkills,
  input: Readable,
  output: Writable,
): Promise<StdioClient> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const { serving } = served;
  const ended = Promise.withResolvers<undefined>();
  for (const event of ['end', 'close', 'error']) input.once(event, () => ended.resolve(undefined));
  const session = { id: `mcp-${randomUUID()}`, isPassing: false };
  const clients = new Set<McpServer>();
  const stop = notifyClients(served, () => clients);
  const handle = serveStdio(
    async () => {
      const mcp = await buildServer(serving, () => session);
      clients.add(mcp);
      mcp.server.onclose = () => void clients.delete(mcp);
      return mcp;
    },
    {
      transport: new StdioServerTransport(input, output, { maxBufferSize: longestMessage }),
      onerror: (error) => serving.options.report(faultLine(error)),
    },
  );
  return {
    ended: ended.promise,
    async [Symbol.asyncDispose]() {
      stop();
      await handle.close();
      await serving.backgroundTasks.done();
    },
  };
}
