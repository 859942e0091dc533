import type { Turnstile } from './snippet-turnstile.ts';

/** The place of one call among those that work; it may be left and taken again. */
export interface CodeSlot {
  /** Throws the reason of a signal that ends the wait. */
  enter(signal?: AbortSignal): Promise<void>;
  /** Harmless for one that is not inside. */
  leave(): void;
}

const never = new AbortController().signal;

/** A slot that is not taken yet. */
export function createCodeSlot(turnstile: Turnstile): CodeSlot {
  let out: (() => void) | undefined;
  return {
    async enter(signal = never) {
      out ??= await turnstile.enter(signal);
    },
    leave() {
      out?.();
      out = undefined;
    },
  };
}
