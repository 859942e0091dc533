import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebfetch, type WebfetchOptions } from '../../src/builtins/webfetch/index.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import { adopt } from '../../src/families/function/adopt.ts';
import { createTestScope, type TestScopeOptions } from '../../src/testing/test-scope.ts';

/** A local web server, and the skill that fetches its pages. */
export interface PageServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** The requests since the start of the last fetch. */
  readonly asked: { readonly url: string; readonly headers: Readonly<Record<string, unknown>> }[];
  /** Sets the handler of all following requests. */
  answer(listener: RequestListener): void;
  /** Sets the body of all following responses. */
  send(body: string | Uint8Array, type?: string, more?: Readonly<Record<string, string>>): void;
  /** Calls the skill. By default, it fetches a page of this server. */
  fetch(
    input?: { readonly url?: string; readonly prompt?: string },
    how?: WebfetchOptions,
    scope?: TestScopeOptions,
  ): Promise<Output>;
}

/** Treats this machine as the only public address. */
export const localReach = { isAllowed: (address: string) => address === '127.0.0.1', ports: undefined };

/** Starts a server on a free port. */
export async function openPageServer(): Promise<PageServer> {
  const asked: PageServer['asked'] = [];
  let listener: RequestListener = (_request, response) => void response.end();
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    port,
    origin,
    asked,
    answer: (next) => void (listener = next),
    send(body, type, more = {}) {
      const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...more };
      listener = (_request, response) => void response.writeHead(200, headers).end(body);
    },
    async fetch(input = {}, how = { reach: localReach }, scope = {}) {
      asked.length = 0;
      const definition = adopt(createWebfetch(how));
      assert.ok(definition);
      return definition.run(
        definition.accept({ url: `${origin}/page`, ...input }) as Json,
        createTestScope(scope),
      );
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns an output's page text, without the frame that marks it as data. */
export function pageIn({ text }: Output): string {
  return /<page url="[^"]*">\n([^]*)\n<\/page>$/.exec(text)?.[1] ?? '';
}
