import type { ErrorData } from '../../core/error.ts';
import type { FailedAttempt } from '../../core/model.ts';
import { optional } from '../../core/collections.ts';
import { isPassing } from '../is-passing.ts';

/**
 * What is said when every model failed: the error of the only one, or one that names each of them. Its code tells who
 * can do something: whoever makes the request shorter, then a person who sets something right, then time.
 */
export function failureOf(failed: readonly FailedAttempt[]): ErrorData {
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
