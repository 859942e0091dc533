import { firstWithin } from '../streams/event-stream.ts';

/** Options for a stream of text. */
interface TextStreamOptions {
  /** What to send when nothing else was sent for a while. */
  readonly ping: string;
  /** Called when the client disconnects before the end. */
  readonly onGone: () => void;
  readonly headers?: Readonly<Record<string, string>>;
}

const pingMs = 15_000;
const encoder = new TextEncoder();

/** Returns a response with server-sent events. The next ones are read when the client has taken the previous. */
export function streamText(
  lines: AsyncGenerator<string, void>,
  { ping, onGone, headers = {} }: TextStreamOptions,
): Response {
  let next: Promise<IteratorResult<string, void>> | undefined;
  let isOver = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= lines.next();
        const result = await firstWithin(pingMs, next);
        if (isOver) return;
        if (result === undefined) controller.enqueue(encoder.encode(ping));
        else if (result.done === true) {
          isOver = true;
          controller.close();
        } else {
          next = undefined;
          controller.enqueue(encoder.encode(result.value));
        }
      },
      cancel() {
        if (isOver) return;
        isOver = true;
        onGone();
      },
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
