import type { FetchLike } from '@modelcontextprotocol/client';
import { settlesWithin } from '../core/index.ts';
import type { Channel, HttpEndpoint } from './channel.ts';
import { brokenAnswer, idOfRequest, withCappedBody } from './messages.ts';
import { createTokenSource } from './token-source.ts';

/** Opens a connection with the Streamable HTTP transport. */
export async function openHttpTransport(endpoint: HttpEndpoint): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let isTooLong = false;
  const source =
    endpoint.oauth === undefined ? undefined : await createTokenSource(endpoint.name, endpoint.oauth);
  const tokens = (): readonly string[] => source?.given() ?? [];
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: buildFetch(endpoint, () => (isTooLong = true)),
    onInsufficientScope: 'throw',
    reconnectionScheduler: reconnectLater,
    ...(source === undefined ? {} : { authProvider: source }),
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const id = Array.isArray(message) ? undefined : idOfRequest(message);
    return send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.();
        if (typeof id === 'number') transport.onmessage?.(brokenAnswer(id, isTooLong ? 'too-long' : 'lost'));
        isTooLong = false;
      },
    });
  };
  return {
    transport,
    hold: () => undefined,
    tokens,
    failureDetails: async () => ({ tokens: tokens() }),
    async close() {
      // If this request fails, the session ends when it expires on the server.
      const ended = transport.terminateSession().catch(() => undefined);
      await settlesWithin(farewellMs, ended);
      await transport.close();
    },
  };
}

const farewellMs = 1000;
// The minimum delay before reconnecting, in milliseconds, even if the server requests a shorter one.
const soonest = 200;
const latest = 60_000;

/** Reopens a stream after a delay. Returns a function that cancels the reconnection. */
function reconnectLater(reconnect: () => void, delay: number): () => void {
  const timer = setTimeout(reconnect, Math.min(Math.max(delay, soonest), latest)).unref();
  return () => {
    clearTimeout(timer);
  };
}

/**
 * Creates a `fetch` function that adds the configured headers only to requests to the server's own origin,
 * never to requests to its authorization server.
 */
function buildFetch({ url, headers }: HttpEndpoint, onTooLong: () => void): FetchLike {
  const { origin } = new URL(url);
  return async (to, init) => {
    const all = new Headers(init?.headers);
    if (new URL(to).origin === origin) {
      for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value);
    }
    return withCappedBody(await fetch(to, { ...init, headers: all }), onTooLong);
  };
}
