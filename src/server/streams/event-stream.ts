import { timer } from '../../core/index.ts';
import type { FeedEvent, RunFeeds } from './run-feeds.ts';

/** Options for a stream of a run's events. */
interface EventStreamOptions {
  readonly runId: string;
  /** The sequence number after which the stream begins. */
  readonly after: number;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** The time between two pings, in milliseconds. */
  readonly pingMs?: number;
  /** The time after which a reader that takes nothing is cut off, in milliseconds. */
  readonly stallMs?: number;
  /** Called once when the stream has ended for any reason. */
  readonly onEnd?: () => void;
}

const defaultPing = 15_000;
const defaultStall = 60_000;
const encoder = new TextEncoder();

/**
 * Returns a response with a run's events as server-sent events. The id of an event is its sequence number, so a
 * client continues with `Last-Event-ID`; pieces of text have no id. The next events are read only when the
 * client has taken the previous ones. A client that takes nothing for too long is cut off, and can continue.
 */
export function streamEvents(
  feeds: RunFeeds,
  options: EventStreamOptions,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { pingMs = defaultPing, stallMs = defaultStall } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, options.signal]);
  const events = feeds.follow(options.runId, options.after, signal);
  let next: Promise<IteratorResult<readonly FeedEvent[], void>> | undefined;
  let stall: Disposable | undefined;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    stall?.[Symbol.dispose]();
    stop.abort();
    // The generator is suspended or ends now, so this settles soon.
    void events.return(undefined).catch(() => undefined);
    options.onEnd?.();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode('retry: 1000\n\n'));
      },
      async pull(controller) {
        stall?.[Symbol.dispose]();
        try {
          next ??= events.next();
          const result = await firstWithin(pingMs, next);
          if (isOver) return;
          if (result === undefined) controller.enqueue(ping);
          else {
            next = undefined;
            if (result.done === true) {
              end();
              controller.close();
              return;
            }
            controller.enqueue(encoder.encode(result.value.map(eventText).join('')));
          }
          stall = timer(stallMs, () => {
            end();
            controller.close(); // What was sent is complete, so the client continues after it.
          });
        } catch {
          end();
          controller.close(); // The store failed. The client continues with its last event id.
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // Proxies such as nginx would hold events back.
      ...headers,
    },
  });
}

const ping = encoder.encode(': ping\n\n');

/** Resolves to undefined if the promise does not settle in time. */
export async function firstWithin<Value>(
  milliseconds: number,
  work: Promise<Value>,
): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  using _timer = timer(milliseconds, () => late.resolve(undefined));
  return await Promise.race([work, late.promise]);
}

/** Writes an event in the format of server-sent events. JSON never contains a line break. Pure. */
export function eventText(event: FeedEvent): string {
  const id = event.seq > 0 ? `id: ${event.seq}\n` : '';
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns the sequence number after which a client continues, or 0 for a new client. */
export function lastEventId(request: Request): number {
  const given = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '';
  return /^\d{1,15}$/.test(given) ? Number(given) : 0;
}
