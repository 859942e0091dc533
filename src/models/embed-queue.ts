import type { EmbedOptions } from '../core/model/sources.ts';
import { AgentError } from '../core/error.ts';

/** One call of embed that waits for its vectors. */
export interface Request {
  readonly texts: readonly string[];
  /** Those that are there, in order: as many as texts are done. */
  readonly vectors: Float32Array[];
  readonly isUrgent: boolean;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: AgentError) => void;
}

/** The requests that wait: urgent ones first, each kind in the order of its calls. */
export class EmbedQueue {
  readonly #urgent = new Set<Request>();
  readonly #others = new Set<Request>();

  /** Whether someone waits for an answer. */
  get hasUrgent(): boolean {
    return this.#urgent.size > 0;
  }

  /** The request whose next text is due. */
  first(): Request | undefined {
    const [first] = this.hasUrgent ? this.#urgent : this.#others;
    return first;
  }

  /** Resolves with the vectors; a signal takes the request out of the queue and rejects it. */
  add(
    texts: readonly string[],
    { urgent = false, signal }: EmbedOptions,
    onAbort: () => void,
  ): Promise<readonly Float32Array[]> {
    if (signal?.aborted === true) return Promise.reject(aborted(signal));
    if (texts.length === 0) return Promise.resolve([]);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const request: Request = { texts: [...texts], vectors: [], isUrgent: urgent, resolve, reject };
    this.#requestsLike(request).add(request);
    if (signal === undefined) return promise;

    const abort = (): void => {
      this.#requestsLike(request).delete(request);
      reject(aborted(signal));
      onAbort();
    };
    signal.addEventListener('abort', abort);
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Adds the vector of the next text; without effect when the request was aborted. */
  answer(request: Request, vector: Float32Array): void {
    request.vectors.push(vector);
    if (request.vectors.length < request.texts.length) return;
    this.#requestsLike(request).delete(request);
    request.resolve(request.vectors);
  }

  /** Leaves nothing waiting. */
  rejectAll(error: AgentError): void {
    const all = [...this.#urgent, ...this.#others];
    this.#urgent.clear();
    this.#others.clear();
    for (const { reject } of all) reject(error);
  }

  #requestsLike({ isUrgent }: Request): Set<Request> {
    return isUrgent ? this.#urgent : this.#others;
  }
}

function aborted(signal: AbortSignal): AgentError {
  return new AgentError('model.aborted', 'The texts were not embedded, because the caller called it off.', {
    hint: 'Ask again without the signal.',
    cause: signal.reason,
  });
}
