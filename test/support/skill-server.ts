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

/** Files of skills by their paths, as `greet/SKILL.md`. */
export type ServedFiles = Readonly<Record<string, string>>;

/** A server over HTTP that offers skills, and notes what is read. */
export interface SkillServer extends AsyncDisposable {
  readonly url: string;
  /** The addresses of the files that were read, in order. */
  readonly reads: string[];
  /** Every request is answered like this instead, while it is set. */
  refuses: number | undefined;
}

/** What a server that lies says: entries as they are, and the text of a file by its address. */
export interface ForgedAnswers {
  readonly list: () => readonly unknown[] | Promise<readonly unknown[]>;
  readonly read: (uri: string) => string | Promise<string>;
}

/** A server as the package makes it, honest in all that it says. */
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

/** A server that says of its skills whatever it is told to. */
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

/** What an honest server would say of a skill. */
export function entryFor(name: string, files: ServedFiles): Promise<Skill> {
  return skillEntry(name, { ...files });
}

/** The text of a skill. */
export function skillText(name: string, body = 'Say hello.', more = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name} things.\n${more}---\n\n${body}\n`;
}

/** Any server over HTTP, made anew for each connection. */
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
