import type { FetchLike } from '@modelcontextprotocol/client';
import { settlesWithin } from '../core/index.ts';
import type { Channel, HttpEndpoint } from './channel.ts';
import { brokenAnswer, idOfRequest, withCappedBody } from './messages.ts';
import { createTokenSource } from './token-source.ts';

/** A server that is reached over streamable HTTP. */
export async function openHttpTransport(place: HttpEndpoint): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let isTooLong = false;
  const source = place.oauth === undefined ? undefined : await createTokenSource(place.name, place.oauth);
  const tokens = (): readonly string[] => source?.given() ?? [];
  const transport = new StreamableHTTPClientTransport(new URL(place.url), {
    fetch: buildFetch(place, () => (isTooLong = true)),
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
    lastWords: async () => ({ tokens: tokens() }),
    async close() {
      const ended = transport.terminateSession().catch(() => undefined); // it is forgotten there in time
      await settlesWithin(farewellMs, ended);
      await transport.close();
    },
  };
}

const farewellMs = 1000;
const soonest = 200; // milliseconds, whatever the server wants
const latest = 60_000;

/** A stream that ended is opened again, and a server that ends it at once is not asked without a pause. */
function reconnectLater(reconnect: () => void, delay: number): () => void {
  const timer = setTimeout(reconnect, Math.min(Math.max(delay, soonest), latest)).unref();
  return () => {
    clearTimeout(timer);
  };
}

/** Sends the headers of a server to it alone, not to whoever it says gives out tokens. */
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
