import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestLog } from './request-log.ts';
import { readScript } from './script.ts';
import { serve, type ModelServerContext } from './serve.ts';
import type { ServedRequest, ServedScript } from './script.ts';

/** What a model server may be told beside its script. */
export interface ModelServerOptions {
  /** The key that every request must carry, as a bearer token or as `x-api-key`; none unless given. */
  readonly authorization?: string;
  /** The models that it lists; it does not know others. Unless given, it takes every name and lists `test-model`. */
  readonly models?: readonly string[];
}

/** A server on this machine that answers as its script says. */
export interface ModelServer extends AsyncDisposable {
  /** Without a slash at the end; providers want `<url>/v1`. */
  readonly url: string;
  /** What arrived, in order. */
  readonly requests: readonly ServedRequest[];
  /** The request at this place of `requests`, as soon as it arrives. */
  waitForRequest(index: number): Promise<ServedRequest>;
  /** When the client of this request left, in milliseconds since 1970; rejects when it was answered to the end. */
  closed(index: number): Promise<number>;
  /** Breaks what is open; whoever waits for something gets an error. */
  close(): Promise<void>;
}

/** Opens a server for tests that speaks the protocols of OpenAI and Anthropic; the turns go to the requests in the order in which these arrive. */
export async function openModelServer(
  script: ServedScript,
  { authorization, models }: ModelServerOptions = {},
): Promise<ModelServer> {
  const log = createRequestLog();
  let turns = 0;
  const serving: ModelServerContext = {
    log,
    authorization,
    models,
    nextTurn: () => ++turns,
    ask: (request, turn) => readScript(script, request, turn),
  };
  const server = createServer((incoming, response) => void serve(incoming, response, serving));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  async function close(): Promise<void> {
    log.stop();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: log.requests,
    waitForRequest: log.waitForRequest,
    closed: log.waitForLeaving,
    close,
    [Symbol.asyncDispose]: close,
  };
}
