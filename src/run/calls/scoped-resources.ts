import { AgentError, settlesWithin } from '../../core/index.ts';

const longestClose = 2_000; // The maximum time to wait for resources to close, in milliseconds.

/** Resources that are opened once and are all closed together. */
export class ScopedResources {
  readonly #opened = new Map<string, Promise<unknown>>();
  #isClosed = false;

  /**
   * Returns the resource with this key. Opens it if necessary, and tries again after a failure. Rejects after
   * `close`.
   */
  open<Resource>(key: string, open: () => Promise<Resource>): Promise<Resource> {
    const before = this.#opened.get(key) as Promise<Resource> | undefined;
    if (before !== undefined) return before;
    if (this.#isClosed) return Promise.reject(closed());
    const opened = Promise.resolve().then(open);
    this.#opened.set(key, opened);
    opened.catch(() => {
      if (this.#opened.get(key) === opened) this.#opened.delete(key);
    });
    return opened;
  }

  /** Closes all resources, but waits at most two seconds for them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#opened.size === 0) return;
    const all = [...this.#opened.values()];
    this.#opened.clear();
    const allClosed = Promise.allSettled(all.map(async (opened) => closeThing(await opened)));
    await settlesWithin(longestClose, allClosed);
  }
}

function closed(): AgentError {
  return new AgentError('usage.cancelled', 'This resource cannot be opened because its scope has ended.');
}

async function closeThing(thing: unknown): Promise<void> {
  const { close, [Symbol.asyncDispose]: dispose } = (thing ?? {}) as {
    close?: () => unknown;
    [Symbol.asyncDispose]?: () => unknown;
  };
  await (close ?? dispose)?.call(thing);
}
