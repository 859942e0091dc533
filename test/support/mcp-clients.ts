import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { ServeOptions } from '../../src/server/mcp/context.ts';
import { serveOverHttp } from '../../src/server/mcp/http.ts';
import { serveSkills } from '../../src/server/mcp/serve-skills.ts';

/** The tested protocol revisions. The older one has a session per client, and the newer one has none. */
export const eras = ['2025-11-25', '2026-07-28'] as const;

/** A tested protocol revision. */
export type Era = (typeof eras)[number];

/** Answers a form as the user. */
export type Fill = (form: {
  readonly message: string;
  readonly schema: unknown;
}) => ElicitResult | Promise<ElicitResult>;

/** A test server and its clients. */
export interface ServerFixture extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly reports: readonly string[];
  client(era: Era, fill?: Fill): Promise<Client>;
}

/** Returns the options with which the official client uses a revision. */
export function speaking(era: Era): object {
  return { versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } } };
}

/** Creates an official client that is not connected. It supports forms only if `fill` is given. */
export function newClient(era: Era, fill?: Fill): Client {
  const capabilities = fill === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, ...speaking(era) });
  if (fill !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const { message, requestedSchema: schema } = params as { message: string; requestedSchema: unknown };
      return fill({ message, schema });
    });
  return client;
}

/** Serves an agent over HTTP on a free port. Disposing the fixture closes everything, including the agent. */
export async function openServerFixture(
  agent: RecursiveSkilledAgent,
  options: Partial<ServeOptions> = {},
): Promise<ServerFixture> {
  const reports: string[] = [];
  const token = 'a-token-for-tests';
  const served = await serveSkills(agent, {
    version: '1.2.3',
    report: (line) => void reports.push(line),
    ...options,
  });
  const listening = await serveOverHttp(served, { host: '127.0.0.1', port: 0, token });
  const clients: Client[] = [];
  return {
    url: listening.url,
    token,
    reports,
    async client(era, fill) {
      const client = newClient(era, fill);
      clients.push(client);
      const headers = { Authorization: `Bearer ${token}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(listening.url), { requestInit: { headers } }),
      );
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await listening[Symbol.asyncDispose]();
      served[Symbol.dispose]();
      await agent.shutdown({ drainMs: 1_000 });
    },
  };
}
