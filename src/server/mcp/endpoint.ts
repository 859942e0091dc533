import { randomUUID } from 'node:crypto';
import { buildServer, type SessionOf } from './build-server.ts';
import { faultLine } from './context.ts';
import type { ServedSkills } from './serve-skills.ts';
import { createOlderSessions } from './sessions.ts';

/** Answers MCP requests over HTTP, for any number of clients of one user. */
export interface McpEndpoint extends AsyncDisposable {
  answer(request: Request): Promise<Response>;
}

/** The metadata key that clients use to specify a call's session. */
const sessionKey = 'skilled/session';

/**
 * Opens an endpoint for the Streamable HTTP transport. With older versions of the protocol, each client has a
 * session. With newer versions, each call has its own session, unless the client names one. `stored` returns
 * the id under which a session is stored.
 */
export async function openMcpEndpoint(
  served: ServedSkills,
  stored: (session: string) => string = (session) => session,
): Promise<McpEndpoint> {
  const { createMcpHandler, isLegacyRequest } = await import('@modelcontextprotocol/server');
  const { serving } = served;
  const sessionOf: SessionOf = ({ mcpReq }) => {
    const named = mcpReq._meta?.[sessionKey];
    const isNamed = typeof named === 'string' && /^[\w.-]{16,100}$/.test(named);
    return { id: stored(`mcp-${isNamed ? named : randomUUID()}`), isPassing: !isNamed };
  };
  const modern = createMcpHandler(() => buildServer(serving, sessionOf), {
    legacy: 'reject',
    onerror: (error: unknown) => serving.options.report(faultLine(error)),
  });
  const older = await createOlderSessions(served, stored);
  const stop = served.onChange((what) => {
    if (what === 'tools') {
      modern.notify.toolsChanged();
      modern.notify.promptsChanged();
    } else modern.notify.resourcesChanged();
  });
  return {
    answer: async (request) =>
      (await isLegacyRequest(request)) ? await older.answer(request) : await modern.fetch(request),
    async [Symbol.asyncDispose]() {
      stop();
      await Promise.all([modern.close(), older.close()]);
      await serving.backgroundTasks.done();
    },
  };
}
