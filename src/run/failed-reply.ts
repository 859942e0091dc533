import { toErrorData } from '../core/error.ts';
import { noUsage, type ModelReply } from '../core/model.ts';

/** What keeps a model from answering, as its answer. */
export function failedReply(thrown: unknown): ModelReply {
  return { text: '', calls: [], reason: 'error', usage: noUsage, error: toErrorData(thrown) };
}
