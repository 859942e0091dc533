import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { buildOddServer, buildOddState } from './odd-tools.ts';

/** A web server. Declare it with `await using`. */
export interface WebServer extends AsyncDisposable {
  readonly origin: string;
}

/** Answers a request. Undefined closes the connection without a response. */
export type Answer = (request: Request) => Response | undefined | Promise<Response | undefined>;

/**
 * Serves the odd MCP server over streamable HTTP, in both protocol versions. `first` may answer a request
 * before the server does.
 */
export async function serveOdd(
  first: Answer = () => undefined,
): Promise<WebServer & { readonly url: string; notifyChanged(): void }> {
  const state = buildOddState();
  const served = createMcpHandler(() => buildOddServer(() => undefined, state));
  const web = await serveWeb(async (request) => (await first(request.clone())) ?? served.fetch(request));
  return {
    ...web,
    url: `${web.origin}/mcp`,
    notifyChanged: () => served.notify.toolsChanged(),
    async [Symbol.asyncDispose]() {
      await served.close();
      await web[Symbol.asyncDispose]();
    },
  };
}

/** Answers requests on a free local port. */
export async function serveWeb(answer: Answer): Promise<WebServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const stop = new AbortController();
      response.once('close', () => stop.abort());
      const given = await answer(await requestOf(request, stop.signal));
      if (given === undefined) return void response.destroy();
      response.writeHead(given.status, Object.fromEntries(given.headers));
      response.flushHeaders();
      for await (const chunk of given.body ?? [])
        if (!response.write(chunk)) await once(response, 'drain', stop);
      response.end();
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function requestOf(request: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET', headers, url = '/' } = request;
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
    method,
    signal,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: chunks.length === 0 ? null : Buffer.concat(chunks),
  });
}
