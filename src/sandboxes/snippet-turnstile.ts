/** Lets so many in at once; the others wait in the order in which they came. */
export interface Turnstile {
  /** Resolves with what must be called once when leaving; throws the signal's reason to one that gives up waiting. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** A turnstile with nobody inside. */
export function createTurnstile(most: number): Turnstile {
  const waiting = new Set<() => void>();
  let inside = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) inside -= 1;
    else next(); // it takes the place
  };
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (inside < most) {
        inside += 1;
        return leave;
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const goIn = (): void => {
        waiting.delete(goIn);
        resolve(leave);
      };
      const giveUp = (): void => {
        waiting.delete(goIn);
        reject(signal.reason as Error);
      };
      waiting.add(goIn);
      signal.addEventListener('abort', giveUp, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
  };
}
