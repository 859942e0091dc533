import type { Turnstile } from './snippet-turnstile.ts';

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
