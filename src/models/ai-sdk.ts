import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Price } from '../core/model/sources.ts';
import { noUsage, type Model } from '../core/model.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import type { Asked } from './ai-sdk/asked.ts';
import { buildCallOptions } from './ai-sdk/call-options.ts';
import { createPromptBuilder } from './ai-sdk/prompt.ts';
import { readParts } from './ai-sdk/read-parts.ts';
import { createReplyReader } from './ai-sdk/reply-reader.ts';
import { knownProviders } from './known-providers.ts';
import { abortedEnd } from './model-end.ts';
import { priceOf } from './prices.ts';

/** How a model of the AI SDK is known here. */
export interface AiSdkOptions {
  /** `provider/name`; made of what the model says of itself unless given. */
  readonly id?: string;
  /** From the table of the package unless given. */
  readonly price?: Price;
}

/** Opens any model of the AI SDK. Its requests are made as they are: nothing is repeated behind the caller's back. */
export function fromAiSdk(model: LanguageModelV4, { id = idOf(model), price }: AiSdkOptions = {}): Model {
  const name = providerOf(model);
  const label = knownProviders.find((known) => known.name === name)?.label ?? name;
  const asked: Asked = { id, model: model.modelId, label, redact: createRedactor([]) };
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
export interface LaterModel {
  readonly asked: Asked;
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
