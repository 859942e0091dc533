import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

const lingering = 1000; // milliseconds that a connection may stay open after the last part

/** The parts of one answer as they come. An abort ends them without an error, and however they end, the connection is closed or free again. */
export async function* readParts(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  const stream = await openStream(model, options, signal);
  if (stream === undefined) return;

  const reader = stream.getReader();
  // A cancelled reader has no more parts, at once; what became of the source does not matter any more.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  let farewell: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      yield value;
      // The rest is read so that the connection can be used again, but nobody waits long for it.
      if (value.type === 'finish' || value.type === 'error') farewell ??= setTimeout(leave, lingering);
    }
  } finally {
    clearTimeout(farewell);
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** Nothing when the signal came first; a stream that arrives later is closed. */
async function openStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) return undefined;
    const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    const result = await Promise.race([asked, aborted]);
    if (result === undefined) {
      // Whatever comes of it now, nobody waits for it.
      asked.then(({ stream }) => stream.cancel()).catch(() => undefined);
    }
    return result?.stream;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
