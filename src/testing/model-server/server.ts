import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestLog } from './request-log.ts';
import { readScript } from './script.ts';
import { serve, type ModelServerContext } from './serve.ts';
import type { ServedRequest, ServedScript } from './script.ts';

/** Options for a model server. */
export interface ModelServerOptions {
  /**
   * The API key that every request must send, either as a bearer token or as `x-api-key`. By default,
   * requests need no key.
   */
  readonly authorization?: string;
  /** The models that the server lists and accepts. By default, it lists `test-model` and accepts any name. */
  readonly models?: readonly string[];
}

/** A local server that sends scripted answers. */
export interface ModelServer extends AsyncDisposable {
  /** The URL of the server, without a trailing slash. The base URL for a provider is `<url>/v1`. */
  readonly url: string;
  /** The requests in order of arrival. */
  readonly requests: readonly ServedRequest[];
  /** Resolves to the request with this index in `requests` once it arrives. */
  waitForRequest(index: number): Promise<ServedRequest>;
  /**
   * Resolves to the time at which the client of a request disconnected, in milliseconds since the Unix epoch.
   * Rejects if the client received the entire answer.
   */
  closed(index: number): Promise<number>;
  /** Closes the server and its connections, and rejects pending promises. */
  close(): Promise<void>;
}

/**
 * Starts a local test server for the OpenAI and Anthropic protocols. It answers requests with the turns of
 * the script, in order of arrival.
 */
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
