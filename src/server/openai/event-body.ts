import { timer } from '../../core/index.ts';

const encoder = new TextEncoder();
const pingMs = 15_000;

/** Options for the body of a stream. */
interface EventBodyOptions {
  /** Cancels the work of the stream if the client disconnects. */
  readonly abort: () => void;
  /** Ends the stream when the server closes. */
  readonly closing: AbortSignal;
}

/**
 * Returns a response with texts of server-sent events. The next text is made when the client has taken the
 * previous ones.
 */
export function eventResponse(
  texts: AsyncGenerator<string, void>,
  { abort, closing }: EventBodyOptions,
): Response {
  let next: Promise<IteratorResult<string, void>> | undefined;
  const closed = Promise.withResolvers<'closed'>();
  const close = (): void => closed.resolve('closed');
  closing.addEventListener('abort', close, { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= texts.next();
        const late = Promise.withResolvers<'late'>();
        using _ping = timer(pingMs, () => late.resolve('late'));
        const found = await Promise.race([next, late.promise, closed.promise]);
        if (found === 'late') {
          controller.enqueue(encoder.encode(': ping\n\n'));
          return;
        }
        next = undefined;
        if (found !== 'closed' && found.done !== true) {
          controller.enqueue(encoder.encode(found.value));
          return;
        }
        closing.removeEventListener('abort', close);
        controller.close();
      },
      cancel() {
        closing.removeEventListener('abort', close);
        abort();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // Proxies such as nginx would hold events back.
    },
  });
}
