import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import {
  createRedactor,
  noUsage,
  onAbort,
  settlesBefore,
  timer,
  type Model,
  type Price,
} from '../../core/index.ts';
import { abortedEnd } from '../model-end.ts';
import { knownProviders } from '../providers/known.ts';
import { priceOf } from '../providers/prices.ts';
import type { ModelTarget } from './failures.ts';
import { createPictureFilter, mayRejectPictures } from './pictures.ts';
import { createReplyReader, createUsedIds } from './reply.ts';
import { buildCallOptions, createPromptBuilder } from './request.ts';

/** Options for wrapping an AI SDK model. */
export interface AiSdkOptions {
  /** The id, as `provider/name`. Defaults to the provider and name that the model reports. */
  readonly id?: string;
  /** The model's price. Defaults to the built-in price table. */
  readonly price?: Price;
}

/**
 * Wraps any AI SDK model. Each call sends a single request and never retries. The only exception is a request
 * that is rejected and has pictures: it is sent once more, with a text instead of each picture.
 */
export function fromAiSdk(model: LanguageModelV4, { id = idOf(model), price }: AiSdkOptions = {}): Model {
  const name = providerOf(model);
  const label = knownProviders.find((known) => known.name === name)?.label ?? name;
  const asked: ModelTarget = { id, model: model.modelId, label, redact: createRedactor([]) };
  return openAiSdkModel({ asked, price: price ?? priceOf(id), open: () => Promise.resolve(model) });
}

function idOf(model: LanguageModelV4): string {
  return `${providerOf(model)}/${model.modelId}`;
}

// Returns the provider's name, for example `anthropic` if the SDK uses `anthropic.messages`.
function providerOf({ provider }: LanguageModelV4): string {
  return provider.split('.')[0] ?? provider;
}

/** A model that is opened on its first request. */
interface LaterModel {
  readonly asked: ModelTarget;
  readonly price: Price | undefined;
  /** Opens the model. Called on the first request, and called again only if that call failed. */
  readonly open: () => Promise<LanguageModelV4>;
}

/** Creates a model whose package is loaded on its first request. */
export function openAiSdkModel({ asked, price, open }: LaterModel): Model {
  let opening: Promise<Ready> | undefined;
  const prepare = async (): Promise<Ready> => {
    try {
      const model = await open();
      return { model, buildPrompt: createPromptBuilder(model.provider) };
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
  };

  const isUsed = createUsedIds();
  const pictures = createPictureFilter();

  return {
    id: asked.id,
    async *stream(given, signal) {
      let request = pictures.fit(given);
      let isReplaced = false;
      for (;;) {
        if (signal.aborted) {
          yield abortedEnd(noUsage); // Do not send an aborted request to the model.
          return;
        }
        const reply = createReplyReader(asked, price, (id) => isUsed(given.messages, id));
        let provider = '';
        let rejection: unknown;
        let isEmpty = true;
        try {
          const { model, buildPrompt } = await (opening ??= prepare());
          provider = model.provider;
          const options = buildCallOptions(request, buildPrompt(request), provider);
          for await (const part of readParts(model, options, signal)) {
            if (part.type === 'error') rejection ??= part.error;
            const event = reply.read(part);
            if (event === undefined) continue;
            isEmpty = false;
            yield event;
          }
        } catch (thrown) {
          rejection ??= thrown;
          reply.fail(thrown);
        }
        const isRejected = isEmpty && rejection !== undefined && mayRejectPictures(rejection);
        const plain = isRejected ? pictures.withoutPictures(request) : undefined;
        if (plain !== undefined) {
          request = plain;
          isReplaced = true;
          continue;
        }
        if (isReplaced && rejection === undefined && reply.isFinished()) pictures.learn();
        yield isAborted(signal) && !reply.isFinished() ? abortedEnd(noUsage) : reply.end(provider);
        return;
      }
    },
  };
}

interface Ready {
  readonly model: LanguageModelV4;
  readonly buildPrompt: ReturnType<typeof createPromptBuilder>;
}

// A function, because TypeScript would assume that `aborted` does not change during an `await`.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const lingering = 1000; // The maximum time to keep a connection open after the last part, in milliseconds.

/**
 * Yields the parts of a response as they arrive. Ends without an error if the signal aborts. Always closes or
 * releases the connection.
 */
async function* readParts(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  const stream = await openStream(model, options, signal);
  if (stream === undefined) return;

  const reader = stream.getReader();
  // Cancelling ends the reader immediately. Later errors from the source are ignored.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  let farewell: Disposable | undefined;
  using _listener = onAbort(signal, cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      yield value;
      // Read the rest of the response for a short time, so that the connection can be reused.
      if (value.type === 'finish' || value.type === 'error') farewell ??= timer(lingering, cancel);
    }
  } finally {
    farewell?.[Symbol.dispose]();
    cancel();
  }
}

/** Opens the stream, or returns undefined if the signal aborts first. Closes a stream that arrives later. */
async function openStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
  if (signal.aborted) return undefined;
  const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
  if (await settlesBefore(signal, asked)) return (await asked).stream;
  // Cancel the stream, because the caller has stopped waiting.
  asked.then(({ stream }) => stream.cancel()).catch(() => undefined);
  return undefined;
}
