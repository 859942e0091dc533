import type { ErrorData } from '../core/error.ts';
import { noUsage, type Model } from '../core/model.ts';
import { abortedEnd, failedEnd } from './model-end.ts';

/** A model that ends at once with this error, in place of one that cannot be had. */
export function createFailingModel(id: string, error: ErrorData): Model {
  return {
    id,
    fault: error,
    async *stream(_request, signal) {
      yield signal.aborted ? abortedEnd(noUsage) : failedEnd(error, noUsage);
    },
  };
}
