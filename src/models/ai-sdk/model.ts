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
import { createReplyReader } from './reply.ts';
import { buildCallOptions, createPromptBuilder } from './request.ts';

/** How a model of the AI SDK is known here. */
interface AiSdkOptions {
  /** `provider/name`; made of what the model says of itself unless given. */
  readonly id?: string;
  /** From the table of the package unless given. */
  readonly price?: Price;
}

/** Opens any model of the AI SDK. Its requests are made as they are: nothing is repeated behind the caller's back. */
export function fromAiSdk(model: LanguageModelV4, { id = idOf(model), price }: AiSdkOptions = {}): Model {
  const name = providerOf(model);
  const label = knownProviders.find((known) => known.name === name)?.label ?? name;
  const asked: ModelTarget = { id, model: model.modelId, label, redact: createRedactor([]) };
  return openAiSdkModel({ asked, price: price ?? priceOf(id), open: () => Promise.resolve(model) });
}

function idOf(model: LanguageModelV4): string {
  return `${providerOf(model)}/${model.modelId}`;
}

// anthropic.messages → anthropic
function providerOf({ provider }: LanguageModelV4): string {
  return provider.split('.')[0] ?? provider;
}

/** What it takes to open a model later. */
interface LaterModel {
  readonly asked: ModelTarget;
  readonly price: Price | undefined;
  /** Called with the first request, and again only after it failed. */
  readonly open: () => Promise<LanguageModelV4>;
}

/** A model whose package is loaded when it is first asked. */
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

  return {
    id: asked.id,
    async *stream(request, signal) {
      if (signal.aborted) {
        yield abortedEnd(noUsage); // it is not even asked
        return;
      }
      const reply = createReplyReader(asked, price, request.messages);
      let provider = '';
      try {
        const { model, buildPrompt } = await (opening ??= prepare());
        provider = model.provider;
        const options = buildCallOptions(request, buildPrompt(request), provider);
        for await (const part of readParts(model, options, signal)) {
          const event = reply.read(part);
          if (event !== undefined) yield event;
        }
      } catch (thrown) {
        reply.fail(thrown);
      }
      yield isAborted(signal) && !reply.isFinished() ? abortedEnd(noUsage) : reply.end(provider);
    },
  };
}

interface Ready {
  readonly model: LanguageModelV4;
  readonly buildPrompt: ReturnType<typeof createPromptBuilder>;
}

// Asked anew each time: an await lies between.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const lingering = 1000; // milliseconds that a connection may stay open after the last part

/** The parts of one answer as they come. An abort ends them without an error, and however they end, the connection is closed or free again. */
async function* readParts(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  const stream = await openStream(model, options, signal);
  if (stream === undefined) return;

  const reader = stream.getReader();
  // A cancelled reader has no more parts, at once; what became of the source does not matter any more.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  let farewell: Disposable | undefined;
  using _listener = onAbort(signal, leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      yield value;
      // The rest is read so that the connection can be used again, but nobody waits long for it.
      if (value.type === 'finish' || value.type === 'error') farewell ??= timer(lingering, leave);
    }
  } finally {
    farewell?.[Symbol.dispose]();
    leave();
  }
}

/** Nothing when the signal came first; a stream that arrives later is closed. */
async function openStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
  if (signal.aborted) return undefined;
  const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
  if (await settlesBefore(signal, asked)) return (await asked).stream;
  asked.then(({ stream }) => stream.cancel()).catch(() => undefined); // nobody waits for it any more
  return undefined;
}
