import { AgentError, settlesWithin } from '../../core/index.ts';

const longestClose = 2_000; // milliseconds

/** Things that are opened once and closed together. */
export class Keeper {
  readonly #kept = new Map<string, Promise<unknown>>();
  #isClosed = false;

  /** Gives what is kept under a key, or opens it; what failed to open is forgotten. Once closed, nothing is opened any more. */
  keep<Kept>(key: string, open: () => Promise<Kept>): Promise<Kept> {
    const before = this.#kept.get(key) as Promise<Kept> | undefined;
    if (before !== undefined) return before;
    if (this.#isClosed) return Promise.reject(closed());
    const opened = Promise.resolve().then(open);
    this.#kept.set(key, opened);
    opened.catch(() => {
      if (this.#kept.get(key) === opened) this.#kept.delete(key);
    });
    return opened;
  }

  /** Closes everything; one that fails to close, or never does, keeps nobody waiting for long. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#kept.size === 0) return;
    const all = [...this.#kept.values()];
    this.#kept.clear();
    const allClosed = Promise.allSettled(all.map(async (opened) => closeThing(await opened)));
    await settlesWithin(longestClose, allClosed);
  }
}

function closed(): AgentError {
  return new AgentError('usage.cancelled', 'What would keep it open has ended.');
}

async function closeThing(thing: unknown): Promise<void> {
  const { close, [Symbol.asyncDispose]: dispose } = (thing ?? {}) as {
    close?: () => unknown;
    [Symbol.asyncDispose]?: () => unknown;
  };
  await (close ?? dispose)?.call(thing);
}
