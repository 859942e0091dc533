import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListSkillsRequestParamsSchema } from '@modelcontextprotocol/core/ext/skills';
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import {
  memorySkillFiles,
  skillEntry,
  SKILLS_EXTENSION_ID,
  SKILLS_LIST_METHOD,
  SkillsExtension,
  type Skill,
} from '@modelcontextprotocol/server/ext/skills';

/** Skill files, keyed by path such as `greet/SKILL.md`. */
export type ServedFiles = Readonly<Record<string, string>>;

/** An HTTP server that offers skills and records which files are read. */
export interface SkillServer extends AsyncDisposable {
  readonly url: string;
  /** The URLs of the files that were read, in order. */
  readonly reads: string[];
  /** If set, every request is answered with this HTTP status. */
  refuses: number | undefined;
}

/** The answers of a dishonest server: unchecked entries, and the text of each file by URL. */
export interface ForgedAnswers {
  readonly list: () => readonly unknown[] | Promise<readonly unknown[]>;
  readonly read: (uri: string) => string | Promise<string>;
}

/** Starts an honest server, built with the official package. */
export function serveSkills(
  files: () => ServedFiles,
  cacheHint: { ttlMs: number; cacheScope: 'private' } = { ttlMs: 0, cacheScope: 'private' },
): Promise<SkillServer> {
  return serveMcp(async () => {
    const mcp = new McpServer({ name: 'skills', version: '1' });
    const own = memorySkillFiles({ ...files() });
    const catalog = await SkillsExtension.load(own, { cacheHint, onWarning: () => undefined });
    catalog.attach(mcp);
    return mcp;
  });
}

/** Starts a server that returns any answers about its skills. */
export function serveForged({ list, read }: ForgedAnswers): Promise<SkillServer> {
  return serveMcp(() => {
    const mcp = new McpServer({ name: 'liar', version: '1' });
    mcp.registerResource(
      'files',
      new ResourceTemplate('skill://{+path}', { list: undefined }),
      {},
      async (uri) => {
        return { contents: [{ uri: uri.href, text: await read(uri.href) }] };
      },
    );
    mcp.server.setRequestHandler(SKILLS_LIST_METHOD, { params: ListSkillsRequestParamsSchema }, async () => ({
      skills: [...(await list())],
      ttlMs: 0,
      cacheScope: 'private',
    }));
    mcp.server.registerCapabilities({ extensions: { [SKILLS_EXTENSION_ID]: {} } });
    return mcp;
  });
}

/** Returns an honest server's entry for a skill. */
export function entryFor(name: string, files: ServedFiles): Promise<Skill> {
  return skillEntry(name, { ...files });
}

/** Returns the text of a `SKILL.md`. */
export function skillText(name: string, body = 'Say hello.', more = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name} things.\n${more}---\n\n${body}\n`;
}

/** Starts an MCP server over HTTP, with a new instance for each connection. */
export async function serveMcp(make: Parameters<typeof createMcpHandler>[0]): Promise<SkillServer> {
  const state = { reads: [] as string[], refuses: undefined as number | undefined };
  const handler = createMcpHandler(make);
  const server = createServer((request, response) => {
    void (async () => {
      if (state.refuses !== undefined) return void response.writeHead(state.refuses).end();
      const asked = await requestOf(request);
      const body = asked.body === null ? '' : await asked.clone().text();
      if (body.includes('"resources/read"')) state.reads.push(/"uri":"([^"]*)"/.exec(body)?.[1] ?? '');
      const answer = await handler.fetch(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return Object.assign(state, {
    url,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  });
}

async function requestOf(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  return new Request(`http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers,
    body,
  });
}
