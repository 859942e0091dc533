import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentError, reasonOf } from '../../core/error.ts';
import { buildServer, type SessionOf } from './build-server.ts';
import { createDoor } from './door.ts';
import { faultLine } from './fault-line.ts';
import { createOlderSessions } from './older-sessions.ts';
import type { ServedSkills } from './serve-skills.ts';
import { sendResponse, webRequest } from './web-request.ts';

/** Where clients come to, and what they must know. */
export interface HttpPlace {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly token: string;
}

/** A server that clients reach. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves any number of clients over streamable HTTP. Older revisions have a session for each client; of the others each call
 * has one of its own, unless the client names one. Throws `usage.bad-input` where the port cannot be had.
 */
export async function serveOverHttp(served: ServedSkills, place: HttpPlace): Promise<Listening> {
  const { createMcpHandler, isLegacyRequest } = await import('@modelcontextprotocol/server');
  const { serving } = served;
  const report = (error: unknown): void => serving.options.report(faultLine(error));
  const modern = createMcpHandler(() => buildServer(serving, sessionOf), {
    legacy: 'reject',
    onerror: report,
  });
  const older = await createOlderSessions(served);
  const door = await createDoor(place);
  const stop = served.onChange((what) => {
    if (what === 'tools') modern.notify.toolsChanged();
    else modern.notify.resourcesChanged();
  });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const respond = async (): Promise<Response> => {
      const request = webRequest(incoming, outgoing);
      return (await isLegacyRequest(request)) ? older.answer(request) : modern.fetch(request);
    };
    await sendResponse(door.refusal(incoming) ?? (await respond()), outgoing);
  };
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch((thrown: unknown) => {
      if (!outgoing.destroyed) report(thrown); // else the client went away
      outgoing.destroy();
    });
  });
  server.maxConnections = 1_000;
  const { address, port } = await listen(server, place);
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      stop();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([modern.close(), older.close()]);
      server.closeAllConnections();
      await closed;
      await serving.errands.done();
    },
  };
}

/** Where a client names the session whose memory its call uses. */
const sessionKey = 'skilled/session';

const sessionOf: SessionOf = ({ mcpReq }) => {
  const named = mcpReq._meta?.[sessionKey];
  const isNamed = typeof named === 'string' && /^[\w.-]{16,100}$/.test(named);
  return { id: `mcp-${isNamed ? named : randomUUID()}`, isPassing: !isNamed };
};

async function listen(server: Server, { host, port }: HttpPlace): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const what = isTaken
      ? `Port ${port} of ${host} is taken.`
      : `Nothing can listen on port ${port} of ${host}: ${reasonOf(thrown)}.`;
    const hint = isTaken
      ? 'Name another with --port, or --port 0 for any that is free.'
      : 'Check --host and --port.';
    throw new AgentError('usage.bad-input', what, { hint, cause: thrown });
  }
  return server.address() as AddressInfo;
}
