import type { ErrorData } from '../core/error.ts';
import { collect, type Model, type ModelReply } from '../core/model.ts';
import { optional } from '../core/collections.ts';
import type { ModelOptions } from '../core/model/sources.ts';
import type { Machine } from './find-models.ts';
import { createModelOpener } from './model-opener.ts';

/** What came of asking a model something small. */
export interface ModelCheck {
  /** `provider/model`. */
  readonly model: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly error?: ErrorData;
}

const patience = 20_000; // milliseconds
const tokens = 16; // the least that all providers take

/** Asks each model for one word, all at the same time, once and without a stand-in; never throws. */
export function checkModels(
  names: readonly string[],
  options: ModelOptions,
  machine: Machine,
): Promise<readonly ModelCheck[]> {
  const open = createModelOpener(options, machine);
  return Promise.all(names.map((name) => checkModel(open(name))));
}

async function checkModel(model: Model): Promise<ModelCheck> {
  const begin = performance.now();
  const request = {
    messages: [{ role: 'user', text: 'Answer with the word ok.' }],
    maxTokens: tokens,
  } as const;
  const reply = await collect(model.stream(request, AbortSignal.timeout(patience)));
  const seconds = Math.round(performance.now() - begin) / 1000;
  const error = errorIn(reply, model);
  return { model: model.id, ok: error === undefined, seconds, ...optional('error', error) };
}

/** A refusal, or an answer that was too long, is an answer all the same. */
function errorIn({ reason, error }: ModelReply, { id }: Model): ErrorData | undefined {
  if (reason === 'aborted')
    return {
      code: 'model.timeout',
      message: `${id} did not answer within ${patience / 1000} seconds.`,
      hint: 'Try again later, or name another model.',
    };
  if (reason !== 'error') return undefined;
  return error ?? { code: 'model.failed', message: `${id} failed without saying why.` };
}
