import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestLog } from './request-log.ts';
import { readScript } from './script.ts';
import { serve, type ModelServerContext } from './serve.ts';
import type { ServedRequest, ServedScript } from './script.ts';

/** Options for a model server. */
export interface ModelServerOptions {
  /** The key that every request must send, as a bearer token or as `x-api-key`. Not set by default. */
  readonly authorization?: string;
  /** The models that the server lists and accepts. By default, lists `test-model` and accepts any name. */
  readonly models?: readonly string[];
}

/** A local model server that gives scripted answers. */
export interface ModelServer extends AsyncDisposable {
  /** The server's URL without a trailing slash. Providers are configured with `<url>/v1`. */
  readonly url: string;
  /** The requests received, in order of arrival. */
  readonly requests: readonly ServedRequest[];
  /** Resolves with the request at this index of `requests` as soon as it arrives. */
  waitForRequest(index: number): Promise<ServedRequest>;
  /**
   * Resolves with the time when the client of this request disconnected, in milliseconds since the Unix
   * epoch. Rejects if the client received the complete answer.
   */
  closed(index: number): Promise<number>;
  /** Closes the server. Breaks open connections and rejects pending waits. */
  close(): Promise<void>;
}

/** Opens a test server for the OpenAI and Anthropic protocols. Requests get the turns in order of arrival. */
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
