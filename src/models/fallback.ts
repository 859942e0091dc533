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

/** The settings for retries and timeouts of model calls. */
export interface Patience {
  /** The number of retries per model after a temporary error. */
  readonly retries: number;
  /** The number of seconds without output after which an attempt is aborted. */
  readonly idleSeconds: number;
  /** Returns a random number of at least 0 and less than 1, which spreads retries over time. */
  readonly random?: () => number;
  /** Waits for a number of milliseconds. May reject if the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Combines several models into one, which has the id of the first. Retries a model after temporary errors,
 * and then tries the next model. A refusal, an abort, or a response that reached its maximum length is never
 * retried.
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
          // If the signal aborts during this delay, the next attempt ends immediately.
          await pass(delay, signal, patience);
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
  return { code: 'model.failed', message: `${id} failed without giving a reason.` };
}

const firstPause = 500; // The first delay before a retry, in milliseconds.
const longestPause = 60_000; // The maximum delay before a retry, in milliseconds.

/**
 * Returns the delay before the next retry of a model, in milliseconds. Returns undefined if the model must
 * not be retried.
 */
function delayBefore(retry: number, error: ErrorData, patience: Patience): number | undefined {
  if (retry >= patience.retries || !isPassing(error)) return undefined;
  const { random = Math.random } = patience;
  const delay = firstPause * 2 ** retry * (0.75 + random() / 2);
  const asked = isJsonObject(error.details) ? error.details['retryAfterMs'] : undefined;
  const least = typeof asked === 'number' ? asked : 0;
  return least > longestPause ? undefined : Math.min(longestPause, Math.max(delay, least));
}

async function pass(milliseconds: number, signal: AbortSignal, { sleep = pause }: Patience): Promise<void> {
  await sleep(milliseconds, signal).catch(() => undefined); // Ignore the rejection if the signal aborts.
}

/**
 * Creates the error for a request that failed with every model. With several models, lists all their
 * errors. Its code indicates the most useful remedy: to shorten the request, or else to correct the
 * configuration, or else to wait.
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
  message: 'No model is available.',
  hint: 'Choose a model.',
};

/**
 * Returns whether the same request may succeed later, according to `details.passing` or, if that is not
 * set, the code. Pure.
 */
export function isPassing({ code, details }: ErrorData): boolean {
  if (isJsonObject(details) && typeof details['passing'] === 'boolean') return details['passing'];
  return code === 'model.busy' || code === 'model.timeout';
}
