import { noUsage, type ErrorData, type Model, type ModelEvent, type Usage } from '../core/index.ts';

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

/** The last event of an answer. */
export type ModelEnd = ModelEvent & { readonly type: 'end' };

/** A piece of an answer that is not its end. */
export type ModelPiece = Exclude<ModelEvent, ModelEnd>;

/** The end of an answer that its caller called off. */
export function abortedEnd(usage: Usage): ModelEnd {
  const error: ErrorData = {
    code: 'model.aborted',
    message: 'The model stopped, because the caller called it off.',
    hint: 'Ask again without the signal.',
  };
  return { type: 'end', reason: 'aborted', usage, error };
}

/** The end of an answer that came to nothing. */
export function failedEnd(error: ErrorData, usage: Usage): ModelEnd {
  return { type: 'end', reason: 'error', usage, error };
}
