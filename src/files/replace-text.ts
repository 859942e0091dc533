/** What is to be replaced; letters are compared one by one and never mean anything else. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** A text with its replacements made. */
export interface Replaced {
  readonly text: string;
  /** The lines that what was put in takes up, counted from 1. */
  readonly places: readonly { readonly from: number; readonly to: number }[];
}

/** Where a text occurs, from left to right, no two of them overlapping; the first so many. */
export function occurrencesOf(text: string, sought: string, most: number): readonly number[] {
  const found: number[] = [];
  let at = text.indexOf(sought);
  while (at >= 0 && found.length < most) {
    found.push(at);
    at = text.indexOf(sought, at + sought.length);
  }
  return found;
}

/** Replaces what stands at each of these places. */
export function replaceAt(text: string, places: readonly number[], { before, after }: Replacement): Replaced {
  const pieces: string[] = [];
  const lines: { readonly from: number; readonly to: number }[] = [];
  let done = 0;
  let line = 1;
  for (const place of places) {
    const kept = text.slice(done, place);
    const from = line + lineEndsIn(kept);
    line = from + lineEndsIn(after);
    lines.push({ from, to: line });
    pieces.push(kept, after);
    done = place + before.length;
  }
  return { text: [...pieces, text.slice(done)].join(''), places: lines };
}

/** The lines on which places of a text are, counted from 1. */
export function linesOf(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let done = 0;
  return places.map((place) => {
    line += lineEndsIn(text.slice(done, place));
    done = place;
    return line;
  });
}

/**
 * A replacement in the line ends of a text: those of the file are kept where all of them are CR LF, and where only
 * with CR LF is there anything to replace.
 */
export function withLineEndsOf(text: string, { before, after }: Replacement): Replacement {
  const isCrLf = text.includes('\r\n');
  const isOnlyCrLf = isCrLf && !/(?:^|[^\r])\n/.test(text);
  if (text.includes(before)) return { before, after: isOnlyCrLf ? toCrLf(after) : after };
  return isCrLf ? { before: toCrLf(before), after: toCrLf(after) } : { before, after };
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
