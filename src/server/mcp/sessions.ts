import { randomUUID } from 'node:crypto';
import type { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { buildServer } from './build-server.ts';
import type { ServedSkills } from './serve-skills.ts';
import { notifyClients } from './serve-skills.ts';

/** The handler for clients that use older versions of the protocol, in which each client has a session. */
interface OlderSessions {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Client {
  readonly mcp: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const maxClients = 1_000;

/**
 * Creates a separate server for each client, which exists from the client's first request until its session
 * is closed. If there are too many, closes the server that has been idle for longest.
 */
export async function createOlderSessions(
  served: ServedSkills,
  stored: (session: string) => string,
): Promise<OlderSessions> {
  const { WebStandardStreamableHTTPServerTransport: Transport } =
    await import('@modelcontextprotocol/server');
  const { serving } = served;
  const clients = new Map<string, Client>();
  let isClosing = false;
  const stop = notifyClients(served, () => [...clients.values()].map(({ mcp }) => mcp));
  const greet = async (request: Request): Promise<Response> => {
    const session = { id: stored(`mcp-${randomUUID()}`), isPassing: false };
    const mcp = await buildServer(serving, () => session);
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void clients.set(id, { mcp, transport }),
    });
    await mcp.connect(transport);
    mcp.server.onclose = () => {
      if (transport.sessionId !== undefined) clients.delete(transport.sessionId);
      if (!isClosing) void forget(session.id);
    };
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await mcp.close(); // The request did not start a session.
    const [oldest] = clients.values();
    if (clients.size > maxClients) await oldest?.mcp.close();
    return response;
  };
  /**
   * Deletes a session unless one of its runs is waiting for an answer, which users can still give in a
   * terminal.
   */
  const forget = async (session: string): Promise<void> => {
    const { agent, options } = serving;
    try {
      const waiting = await agent.runs.list({ session, status: ['waiting'], limit: 1 });
      if (waiting.length === 0) await agent.deleteSession(session);
    } catch {
      // The periodic cleanup of idle sessions will delete this session.
      options.report(`could not delete the session ${session} yet; it will be deleted later`);
    }
  };
  return {
    async answer(request) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return greet(request);
      const client = clients.get(id);
      if (client === undefined) return unknownSession();
      clients.delete(id);
      clients.set(id, client);
      return client.transport.handleRequest(request);
    },
    async close() {
      isClosing = true;
      stop();
      await Promise.all([...clients.values()].map(({ mcp }) => mcp.close()));
    },
  };
}

function unknownSession(): Response {
  const error = { code: -32_001, message: 'Unknown session; start a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
