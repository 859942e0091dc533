import type { WireEvent } from './protocol.ts';
import type { ServedSplit } from './script.ts';

/** Bytes that are written at once. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** How many pieces of the answer begin in it. */
  readonly pieces: number;
}

/** Cuts frames into what is written at once; the bytes stay the same. */
export function splitFrames(frames: readonly WireFrame[], split: ServedSplit): readonly Chunk[] {
  if (split === 'natural') {
    return frames.map(({ bytes, part }) => ({ bytes, pieces: part === 'piece' ? 1 : 0 }));
  }
  const all = Buffer.concat(frames.map((frame) => frame.bytes));
  const places = [...new Set([0, ...placesOf(all, split)])]
    .filter((place) => place >= 0 && place < all.length)
    .sort((one, other) => one - other);
  const beginnings = beginningsOf(frames);
  let passed = 0; // of the beginnings
  return places.map((from, index) => {
    const to = places[index + 1] ?? all.length;
    const before = passed;
    while ((beginnings[passed] ?? to) < to) passed += 1;
    return { bytes: all.subarray(from, to), pieces: passed - before };
  });
}

/** Where in the bytes the pieces begin. */
function beginningsOf(frames: readonly WireFrame[]): readonly number[] {
  let place = 0;
  return frames.flatMap(({ bytes, part }) => {
    const from = place;
    place += bytes.length;
    return part === 'piece' ? [from] : [];
  });
}

function placesOf(bytes: Buffer, split: Exclude<ServedSplit, 'natural'>): readonly number[] {
  if (split === 'together') return [];
  if (split === 'bytes') return Array.from(bytes.keys());
  return split === 'awkward' ? awkwardPlacesOf(bytes) : split;
}

/**
 * Inside of characters, between CR and LF, inside of the word `data`, and at each byte of the first event; but not
 * between events, and never inside of the word in every third one, so that the end of an event, a whole one and the
 * beginning of another arrive together.
 */
function awkwardPlacesOf(bytes: Buffer): readonly number[] {
  const text = bytes.toString('latin1'); // a character per byte
  const firstEnd = text.search(/\r?\n\r?\n/);
  const words = [...text.matchAll(/^data:/gm)].filter((_, index) => index % 3 !== 2);
  const breaks = [...text.matchAll(/[\x80-\xbf]|(?<=\r)\n/g)];
  return [
    ...Array.from({ length: Math.max(0, firstEnd) }, (_, place) => place),
    ...words.map((found) => found.index + 2),
    ...breaks.map((found) => found.index),
  ];
}

/** Bytes that mean something as a whole: an event of a stream, or a body. */
export interface WireFrame {
  readonly bytes: Uint8Array;
  readonly part?: 'piece' | 'closing';
}

/** An event as server-sent events are written; the comment goes before it. */
export function encodeEvent({ name, text, ...rest }: WireEvent, lineEnd: string, comment: string): WireFrame {
  const lines = [
    ...(comment === '' ? [] : [`: ${comment}`, '']),
    ...(name === undefined ? [] : [`event: ${name}`]),
    `data: ${text}`,
    '',
    '',
  ];
  return { bytes: Buffer.from(lines.join(lineEnd)), ...rest };
}

/** What comes before the closing ones. */
export function untilClosing<Part extends Pick<WireFrame, 'part'>>(all: readonly Part[]): readonly Part[] {
  const place = all.findIndex((one) => one.part === 'closing');
  return place === -1 ? all : all.slice(0, place);
}

/** What comes up to so many pieces; with none of them, what comes before the first. */
export function untilPiece<Part extends Pick<WireFrame, 'part'>>(
  all: readonly Part[],
  count: number,
): readonly Part[] {
  const places = all.flatMap((one, place) => (one.part === 'piece' ? [place] : []));
  if (count >= places.length) return untilClosing(all);
  return all.slice(0, count <= 0 ? places[0] : (places[count - 1] ?? 0) + 1);
}

/** What comes up to so many pieces, and half of what follows. */
export function cutAfterPieces(frames: readonly WireFrame[], count: number): readonly WireFrame[] {
  const whole = Math.min(untilPiece(frames, count).length, frames.length - 1);
  return frames.slice(0, whole + 1).map((frame, index) => (index < whole ? frame : halfOf(frame)));
}

function halfOf(frame: WireFrame): WireFrame {
  return { ...frame, bytes: frame.bytes.subarray(0, Math.ceil(frame.bytes.length / 2)) };
}
