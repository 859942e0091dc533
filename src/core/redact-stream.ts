import type { Redact } from './redact.ts';

/** Redacts a text that comes in pieces, cut anywhere. */
export interface StreamRedactor {
  /** What may be shown now that this piece is there; its end may come with a later piece. */
  push(text: string): string;
  /** The rest. */
  end(): string;
}

/**
 * A redactor for one stream: its pieces join to what redacting the whole would give, as long as no secret is
 * longer than `longest` characters, what introduces it included. It holds back about as many.
 */
export function createStreamRedactor(redact: Redact, longest: number): StreamRedactor {
  const ahead = Math.max(1, longest) + 1; // whether a secret ends may depend on the character behind it
  const step = Math.ceil(ahead / 16); // looking at every character again for each small piece would be slow
  let held = '';
  let enough = ahead + step; // characters that make it worth looking

  return {
    push(text) {
      held += text;
      if (held.length < enough) return '';
      const cut = wholeCharacters(held, held.length - ahead);
      const shown = redact(held.slice(0, cut));
      const rest = held.slice(cut);
      if (shown + redact(rest) !== redact(held)) {
        enough = held.length + Math.max(step, (held.length - ahead) / 4); // a secret lies across the cut
        return '';
      }
      held = rest;
      enough = ahead + step;
      return shown;
    },
    end() {
      const rest = redact(held);
      held = '';
      return rest;
    },
  };
}

/** The place, or the one before it when it lies within a character of two units. */
function wholeCharacters(text: string, place: number): number {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1));
  return isInside ? place - 1 : place;
}
