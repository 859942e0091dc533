import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { ServeOptions } from '../../src/server/mcp/context.ts';
import { serveOverHttp } from '../../src/server/mcp/http.ts';
import { serveSkills } from '../../src/server/mcp/serve-skills.ts';

/** The revisions of the protocol: with a session for each client, and without. */
export const eras = ['2025-11-25', '2026-07-28'] as const;

/** One of them. */
export type Era = (typeof eras)[number];

/** What a user does with a form. */
export type Fill = (form: {
  readonly message: string;
  readonly schema: unknown;
}) => ElicitResult | Promise<ElicitResult>;

/** A server for tests, and clients of it. */
export interface ServerFixture extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly reports: readonly string[];
  client(era: Era, fill?: Fill): Promise<Client>;
}

/** The options by which the official client speaks a revision. */
export function speaking(era: Era): object {
  return { versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } } };
}

/** An official client that is not connected yet; it shows forms only where it is said how they are filled in. */
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

/** Serves an agent over HTTP at any port; everything is closed with it, the agent included. */
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
