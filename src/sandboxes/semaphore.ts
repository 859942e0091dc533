/** The place of one call among those that work; it may be left and taken again, before those that have had none yet. */
export interface CodeSlot {
  /** Throws the reason of a signal that ends the wait. */
  enter(signal: AbortSignal): Promise<void>;
  /** Harmless for one that is not inside. */
  leave(): void;
}

/** A slot that is not taken yet. */
export function createCodeSlot(turnstile: Turnstile): CodeSlot {
  let out: (() => void) | undefined;
  let wasInside = false;
  return {
    async enter(signal) {
      out ??= await turnstile.enter(signal, wasInside);
      wasInside = true;
    },
    leave() {
      out?.();
      out = undefined;
    },
  };
}

/** Lets so many in at once; the others wait in the order in which they came, those that were inside before first. */
interface Turnstile {
  /** Resolves with what must be called once when leaving; throws the signal's reason to one that gives up waiting. */
  enter(signal: AbortSignal, wasInside?: boolean): Promise<() => void>;
}

/** A turnstile with nobody inside. */
export function createTurnstile(most: number): Turnstile {
  const returning = new Set<() => void>();
  const waiting = new Set<() => void>();
  let inside = 0;
  const leave = (): void => {
    const [next] = returning.size > 0 ? returning : waiting;
    if (next === undefined) inside -= 1;
    else next(); // it takes the place
  };
  return {
    async enter(signal, wasInside = false) {
      signal.throwIfAborted();
      if (inside < most) {
        inside += 1;
        return leave;
      }
      const line = wasInside ? returning : waiting;
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const goIn = (): void => {
        line.delete(goIn);
        resolve(leave);
      };
      const giveUp = (): void => {
        line.delete(goIn);
        reject(signal.reason as Error);
      };
      line.add(goIn);
      signal.addEventListener('abort', giveUp, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
  };
}
