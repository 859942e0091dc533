import type { Redact } from './redact.ts';

/** Redacts a text that comes in pieces, cut anywhere. */
export interface StreamRedactor {
  /** What may be shown now that this piece is there; its end may come with a later piece. */
  push(text: string): string;
  /** The rest. */
  end(): string;
}

const mostTries = 4; // places to cut at, from the end

/**
 * A redactor for one stream: its pieces join to what redacting the whole would give, as long as no secret is longer
 * than `longest` characters, what introduces it included. It holds back the last word, and more only where a secret
 * may have begun.
 */
export function createStreamRedactor(redact: Redact, longest: number): StreamRedactor {
  const ahead = Math.max(1, longest) + 1; // whether a secret ends may depend on the character behind it
  const step = Math.ceil(ahead / 16); // looking at every character again for each small piece would be slow
  let held = '';
  let enough = ahead + step; // characters that make it worth looking

  const show = (cut: number): string | undefined => {
    const shown = redact(held.slice(0, cut));
    const rest = held.slice(cut);
    if (shown + redact(rest) !== redact(held)) return undefined; // a secret lies across the cut
    held = rest;
    enough = ahead + step;
    return shown;
  };
  return {
    push(text) {
      const before = held.length;
      held += text;
      for (const cut of gaps(held, before, redact)) {
        const shown = show(cut);
        if (shown !== undefined) return shown;
      }
      if (held.length < enough) return '';
      const shown = show(wholeCharacters(held, held.length - ahead));
      if (shown === undefined) enough = held.length + Math.max(step, (held.length - ahead) / 4);
      return shown ?? '';
    },
    end() {
      const rest = redact(held);
      held = '';
      return rest;
    },
  };
}

/** The last places beyond one, behind a blank or a character that stands in no token, where no secret goes on. */
function* gaps(text: string, beyond: number, { isOpenAtEnd }: Redact): Iterable<number> {
  if (isOpenAtEnd === undefined) return;
  let tries = 0;
  for (let place = text.length; place > beyond && tries < mostTries; place -= 1) {
    if (!isGap(text.charCodeAt(place - 1)) || /[\ud800-\udbff]/.test(text.charAt(place - 1))) continue;
    tries += 1;
    if (!isOpenAtEnd(text.slice(0, place))) yield place;
  }
}

function isGap(code: number): boolean {
  return code <= 0x20 || code > 0x7e;
}

/** The place, or the one before it when it lies within a character of two units. */
function wholeCharacters(text: string, place: number): number {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1));
  return isInside ? place - 1 : place;
}
