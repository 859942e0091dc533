import type { WireEvent } from './protocol.ts';
import type { ServedSplit } from './script.ts';

/** Bytes sent in one write. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** The number of answer pieces that begin in this chunk. */
  readonly pieces: number;
}

/** Splits frames into chunks, each sent in one write. Does not change the bytes. */
export function splitFrames(frames: readonly WireFrame[], split: ServedSplit): readonly Chunk[] {
  if (split === 'natural') {
    return frames.map(({ bytes, part }) => ({ bytes, pieces: part === 'piece' ? 1 : 0 }));
  }
  const all = Buffer.concat(frames.map((frame) => frame.bytes));
  const offsets = [...new Set([0, ...splitOffsets(all, split)])]
    .filter((offset) => offset >= 0 && offset < all.length)
    .sort((one, other) => one - other);
  const beginnings = beginningsOf(frames);
  let passed = 0; // The number of pieces counted so far.
  return offsets.map((from, index) => {
    const to = offsets[index + 1] ?? all.length;
    const before = passed;
    while ((beginnings[passed] ?? to) < to) passed += 1;
    return { bytes: all.subarray(from, to), pieces: passed - before };
  });
}

/** Returns the byte offsets at which pieces begin. */
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
 * Returns offsets inside characters, between CR and LF, inside the word `data`, and at each byte of the first
 * event. Omits offsets between events and inside every third `data`, so that a chunk can contain the end of
 * one event, a complete event and the start of the next.
 */
function awkwardOffsets(bytes: Buffer): readonly number[] {
  const text = bytes.toString('latin1'); // Latin-1 has one character per byte.
  const firstEnd = text.search(/\r?\n\r?\n/);
  const dataLines = [...text.matchAll(/^data:/gm)].filter((_, index) => index % 3 !== 2);
  const breaks = [...text.matchAll(/[\x80-\xbf]|(?<=\r)\n/g)];
  return [
    ...Array.from({ length: Math.max(0, firstEnd) }, (_, offset) => offset),
    ...dataLines.map((found) => found.index + 2),
    ...breaks.map((found) => found.index),
  ];
}

/** The bytes of one event in a stream, or of a whole body. */
export interface WireFrame {
  readonly bytes: Uint8Array;
  readonly part?: 'piece' | 'closing';
}

/** Encodes a server-sent event, preceded by the given comment, if any. */
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

/** Returns the parts that precede the first closing part. */
export function untilClosing<Part extends Pick<WireFrame, 'part'>>(all: readonly Part[]): readonly Part[] {
  const index = all.findIndex((one) => one.part === 'closing');
  return index === -1 ? all : all.slice(0, index);
}

/** Returns the start of a stream, through its first `count` text chunks. */
export function untilPiece<Part extends Pick<WireFrame, 'part'>>(
  all: readonly Part[],
  count: number,
): readonly Part[] {
  const indexes = all.flatMap((one, index) => (one.part === 'piece' ? [index] : []));
  if (count >= indexes.length) return untilClosing(all);
  return all.slice(0, count <= 0 ? indexes[0] : (indexes[count - 1] ?? 0) + 1);
}

/** Returns the frames up to the given number of pieces, plus half of the next frame. */
export function cutAfterPieces(frames: readonly WireFrame[], count: number): readonly WireFrame[] {
  const whole = Math.min(untilPiece(frames, count).length, frames.length - 1);
  return frames.slice(0, whole + 1).map((frame, index) => (index < whole ? frame : halfOf(frame)));
}

function halfOf(frame: WireFrame): WireFrame {
  return { ...frame, bytes: frame.bytes.subarray(0, Math.ceil(frame.bytes.length / 2)) };
}
