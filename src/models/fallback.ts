import {
  addUsage,
  isJsonObject,
  noUsage,
  optional,
  pause,
  type ErrorData,
  type FailedAttempt,
  type Model,
} from '../core/index.ts';
import { attempt } from './attempt.ts';
import { failedEnd, type ModelEnd } from './model-end.ts';

/** How much patience there is with models. */
export interface Patience {
  /** How often each model is asked again after a fault that may pass. */
  readonly retries: number;
  /** Seconds without a sign of life after which an attempt is given up. */
  readonly idleSeconds: number;
  /** From 0 up to 1; spreads the retries of many callers. */
  readonly random?: () => number;
  /** Waits that many milliseconds; may throw when the signal comes. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Several models as one, with the id of the first: each is asked again after a fault that may pass, then the next
 * one is asked. What was refused, called off or cut off at its greatest length is an answer, and nobody else is asked.
 */
export function mediate(chain: readonly Model[], patience: Patience): Model {
  const id = chain[0]?.id ?? 'none/none';
  return {
    id,
    async *stream(request, signal) {
      const failed: FailedAttempt[] = [];
      let usage = noUsage;
      for (const [index, model] of chain.entries()) {
        const hasNext = index < chain.length - 1;
        for (let retry = 0; ; retry++) {
          const end = yield* attempt(model, request, signal, patience.idleSeconds);
          usage = addUsage(usage, end.usage);
          if (isFinal(end)) {
            yield { ...end, usage, ...answeredBy(end.model ?? model.id, id) };
            return;
          }
          const failure = { model: end.model ?? model.id, error: end.error ?? unexplained(model) };
          failed.push(failure);
          const delay = delayBefore(retry, failure.error, patience);
          if (delay !== undefined || hasNext) yield { type: 'attempt', failed: failure };
          if (delay === undefined) break;
          await pass(delay, signal, patience); // an attempt that was called off meanwhile ends at once
        }
      }
      yield failedEnd(failureOf(failed), usage);
    },
  };
}

function isFinal({ reason, error }: ModelEnd): boolean {
  return reason !== 'error' || error?.code === 'model.refused' || error?.code === 'model.length';
}

function answeredBy(model: string, asked: string): { readonly model?: string } {
  return optional('model', model === asked ? undefined : model);
}

function unexplained({ id }: Model): ErrorData {
  return { code: 'model.failed', message: `${id} failed without saying why.` };
}

const firstPause = 500; // milliseconds
const longestPause = 60_000; // one that is to take longer is not waited for

/** Milliseconds to wait before the same model is asked again; undefined when it is not. */
function delayBefore(retry: number, error: ErrorData, patience: Patience): number | undefined {
  if (retry >= patience.retries || !isPassing(error)) return undefined;
  const { random = Math.random } = patience;
  const delay = firstPause * 2 ** retry * (0.75 + random() / 2);
  const asked = isJsonObject(error.details) ? error.details['retryAfterMs'] : undefined;
  const least = typeof asked === 'number' ? asked : 0;
  return least > longestPause ? undefined : Math.min(longestPause, Math.max(delay, least));
}

async function pass(milliseconds: number, signal: AbortSignal, { sleep = pause }: Patience): Promise<void> {
  await sleep(milliseconds, signal).catch(() => undefined); // the signal may have ended it
}

/**
 * What is said when every model failed: the error of the only one, or one that names each of them. Its code tells who
 * can do something: whoever makes the request shorter, then a person who sets something right, then time.
 */
function failureOf(failed: readonly FailedAttempt[]): ErrorData {
  const last = [...new Map(failed.map((one) => [one.model, one])).values()];
  const errors = last.map(({ error }) => error);
  const telling =
    errors.find(({ code }) => code === 'model.too-long') ??
    errors.find((error) => !isPassing(error)) ??
    errors.at(-1);
  if (telling === undefined) return noModels;
  if (last.length === 1) return telling;
  const reasons = last.map(({ model, error }) => `${model}: ${error.message}`);
  return {
    code: telling.code,
    message: `None of ${last.length} models answered. ${reasons.join(' ')}`,
    ...optional('hint', telling.hint),
    details: {
      passing: errors.some(isPassing),
      failed: last.map(({ model, error }) => ({ model, code: error.code })),
    },
  };
}

const noModels: ErrorData = {
  code: 'model.unavailable',
  message: 'There is no model to ask.',
  hint: 'Name a model.',
};

/** Whether the same request may succeed when it is made again: `details.passing` decides where it is there, else the code. Pure. */
export function isPassing({ code, details }: ErrorData): boolean {
  if (isJsonObject(details) && typeof details['passing'] === 'boolean') return details['passing'];
  return code === 'model.busy' || code === 'model.timeout';
}
