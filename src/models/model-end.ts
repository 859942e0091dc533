import { noUsage, type ErrorData, type Model, type ModelEvent, type Usage } from '../core/index.ts';

/** Creates a model that answers every request with the given error. */
export function createFailingModel(id: string, error: ErrorData): Model {
  return {
    id,
    fault: error,
    async *stream(_request, signal) {
      yield signal.aborted ? abortedEnd(noUsage) : failedEnd(error, noUsage);
    },
  };
}

/** The last event of a response. */
export type ModelEnd = ModelEvent & { readonly type: 'end' };

/** Any event of a response other than the last one. */
export type ModelPiece = Exclude<ModelEvent, ModelEnd>;

/** Creates the last event of a response that was aborted by its caller. */
export function abortedEnd(usage: Usage): ModelEnd {
  const error: ErrorData = {
    code: 'model.aborted',
    message: 'The model stopped because the caller aborted the request.',
    hint: 'Send the request again without aborting it.',
  };
  return { type: 'end', reason: 'aborted', usage, error };
}

/** Creates the last event of a response that failed. */
export function failedEnd(error: ErrorData, usage: Usage): ModelEnd {
  return { type: 'end', reason: 'error', usage, error };
}
