import type { WireEvent } from './protocol.ts';
import type { ServedSplit } from './script.ts';

/** Bytes sent in one write. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** The number of pieces of the answer that start in this chunk. */
  readonly pieces: number;
}

/** Divides frames into chunks. Each chunk is sent in one write. Does not change the bytes. */
export function splitFrames(frames: readonly WireFrame[], split: ServedSplit): readonly Chunk[] {
  if (split === 'natural') {
    return frames.map(({ bytes, part }) => ({ bytes, pieces: part === 'piece' ? 1 : 0 }));
  }
  const all = Buffer.concat(frames.map((frame) => frame.bytes));
  const offsets = [...new Set([0, ...splitOffsets(all, split)])]
    .filter((offset) => offset >= 0 && offset < all.length)
    .sort((one, other) => one - other);
  const beginnings = beginningsOf(frames);
  let passed = 0; // The number of pieces that start before the current offset.
  return offsets.map((from, index) => {
    const to = offsets[index + 1] ?? all.length;
    const before = passed;
    while ((beginnings[passed] ?? to) < to) passed += 1;
    return { bytes: all.subarray(from, to), pieces: passed - before };
  });
}

/** Returns the byte offsets at which the pieces of the answer start. */
function beginningsOf(frames: readonly WireFrame[]): readonly number[] {
  let offset = 0;
  return frames.flatMap(({ bytes, part }) => {
    const from = offset;
    offset += bytes.length;
    return part === 'piece' ? [from] : [];
  });
}

function splitOffsets(bytes: Buffer, split: Exclude<ServedSplit, 'natural'>): readonly number[] {
  if (split === 'together') return [];
  if (split === 'bytes') return Array.from(bytes.keys());
  return split === 'awkward' ? awkwardOffsets(bytes) : split;
}

/**
 * Returns offsets at which splitting the stream may cause a parser to fail: inside characters, between CR and
 * LF, inside the word `data`, and at each byte of the first event. Omits offsets between events and inside
 * every third `data`, so that some chunks contain the end of one event, a complete event and the start of
 * another.
 */
function awkwardOffsets(bytes: Buffer): readonly number[] {
  const text = bytes.toString('latin1'); // In Latin-1, each byte is one character.
  const firstEnd = text.search(/\r?\n\r?\n/);
  const dataLines = [...text.matchAll(/^data:/gm)].filter((_, index) => index % 3 !== 2);
  const breaks = [...text.matchAll(/[\x80-\xbf]|(?<=\r)\n/g)];
  return [
    ...Array.from({ length: Math.max(0, firstEnd) }, (_, offset) => offset),
    ...dataLines.map((found) => found.index + 2),
    ...breaks.map((found) => found.index),
  ];
}

/** The bytes of one event in a stream, or of the entire body. */
export interface WireFrame {
  readonly bytes: Uint8Array;
  readonly part?: 'piece' | 'closing';
}

/** Encodes a server-sent event. Puts a comment line before it unless `comment` is empty. */
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

/** Returns the frames or events that precede the first closing one. */
export function untilClosing<Part extends Pick<WireFrame, 'part'>>(all: readonly Part[]): readonly Part[] {
  const index = all.findIndex((one) => one.part === 'closing');
  return index === -1 ? all : all.slice(0, index);
}

/** Returns the frames or events up to and including the piece with number `count`. */
export function untilPiece<Part extends Pick<WireFrame, 'part'>>(
  all: readonly Part[],
  count: number,
): readonly Part[] {
  const indexes = all.flatMap((one, index) => (one.part === 'piece' ? [index] : []));
  if (count >= indexes.length) return untilClosing(all);
  return all.slice(0, count <= 0 ? indexes[0] : (indexes[count - 1] ?? 0) + 1);
}

/** Returns the frames that contain the first `count` pieces, followed by the first half of the next frame. */
export function cutAfterPieces(frames: readonly WireFrame[], count: number): readonly WireFrame[] {
  const whole = Math.min(untilPiece(frames, count).length, frames.length - 1);
  return frames.slice(0, whole + 1).map((frame, index) => (index < whole ? frame : halfOf(frame)));
}

function halfOf(frame: WireFrame): WireFrame {
  return { ...frame, bytes: frame.bytes.subarray(0, Math.ceil(frame.bytes.length / 2)) };
}
