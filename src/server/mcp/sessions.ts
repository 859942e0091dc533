import { randomUUID } from 'node:crypto';
import type { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { buildServer } from './build-server.ts';
import type { ServedSkills } from './serve-skills.ts';
import { tellClients } from './serve-skills.ts';

/** Clients of revisions that have sessions. */
interface OlderSessions {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Client {
  readonly mcp: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const mostClients = 1_000;

/** Keeps a server for each client from its first request until it says goodbye; the one that was silent longest makes room. */
export async function createOlderSessions(served: ServedSkills): Promise<OlderSessions> {
  const { WebStandardStreamableHTTPServerTransport: Transport } =
    await import('@modelcontextprotocol/server');
  const { serving } = served;
  const clients = new Map<string, Client>();
  let isClosing = false;
  const stop = tellClients(served, () => [...clients.values()].map(({ mcp }) => mcp));
  const greet = async (request: Request): Promise<Response> => {
    const session = { id: `mcp-${randomUUID()}`, isPassing: false };
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
    if (transport.sessionId === undefined) await mcp.close(); // it was no greeting
    const [oldest] = clients.values();
    if (clients.size > mostClients) await oldest?.mcp.close();
    return response;
  };
  /** What waits in a session can still be answered at a terminal, so that one stays. */
  const forget = async (session: string): Promise<void> => {
    const { agent, options } = serving;
    try {
      const waiting = await agent.runs.list({ session, status: ['waiting'], limit: 1 });
      if (waiting.length === 0) await agent.deleteSession(session);
    } catch {
      options.report(`the session ${session} is forgotten later`); // as all that are idle for long
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
  const error = { code: -32_001, message: 'There is no such session; begin a new one.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
