import type { RunHandle } from '../../core/index.ts';
import { readText } from './answer-text.ts';
import { toUIMessageStream, type UiMessageOptions } from './ui-messages.ts';

/** Options for sending a run as a response. */
export interface ResponseOptions extends UiMessageOptions {
  /**
   * The body: server-sent events with all events of the run and its result (`events`), the text of the answer
   * (`text`), or the messages that the AI SDK's `useChat` reads (`ui-messages`). Default `events`.
   */
  readonly format?: 'events' | 'text' | 'ui-messages';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns a response that streams a run to a web client. If the client disconnects, the run continues, unless
 * it was started with the signal of the request.
 */
export function toResponse(run: RunHandle, options: ResponseOptions = {}): Response {
  const { format = 'events', status = 200, headers = {} } = options;
  const [type, lines] = bodyOf(run, format, options);
  const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
  const own = { 'content-type': type, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
  const protocol = format === 'ui-messages' ? { 'x-vercel-ai-ui-message-stream': 'v1' } : {};
  return new Response(body, { status, headers: { ...own, ...protocol, ...headers } });
}

const sse = 'text/event-stream; charset=utf-8';

function bodyOf(
  run: RunHandle,
  format: ResponseOptions['format'],
  options: UiMessageOptions,
): readonly [type: string, lines: AsyncIterable<string>] {
  if (format === 'text') return ['text/plain; charset=utf-8', readText(run)];
  return [sse, format === 'ui-messages' ? readMessages(run, options) : readEvents(run)];
}

/** Yields the events of a run, and at last its result. Events that the log does not keep have no id. */
async function* readEvents(run: RunHandle): AsyncGenerator<string, void> {
  for await (const event of run.events) {
    const id = event.seq > 0 ? `id: ${event.seq}\n` : '';
    yield `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  yield `event: result\ndata: ${JSON.stringify(await run.result)}\n\n`;
}

async function* readMessages(run: RunHandle, options: UiMessageOptions): AsyncGenerator<string, void> {
  for await (const chunk of toUIMessageStream(run, options)) yield `data: ${JSON.stringify(chunk)}\n\n`;
  yield 'data: [DONE]\n\n';
}
