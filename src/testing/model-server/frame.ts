import type { WireEvent } from './protocol.ts';

/** Bytes that mean something as a whole: an event of a stream, or a body. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly part?: 'piece' | 'closing';
}

/** An event as server-sent events are written; the comment goes before it. */
export function encodeEvent({ name, text, ...rest }: WireEvent, lineEnd: string, comment: string): Frame {
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
export function untilClosing<Part extends Pick<Frame, 'part'>>(all: readonly Part[]): readonly Part[] {
  const place = all.findIndex((one) => one.part === 'closing');
  return place === -1 ? all : all.slice(0, place);
}

/** What comes up to so many pieces; with none of them, what comes before the first. */
export function untilPiece<Part extends Pick<Frame, 'part'>>(
  all: readonly Part[],
  count: number,
): readonly Part[] {
  const places = all.flatMap((one, place) => (one.part === 'piece' ? [place] : []));
  if (count >= places.length) return untilClosing(all);
  return all.slice(0, count <= 0 ? places[0] : (places[count - 1] ?? 0) + 1);
}

/** What comes up to so many pieces, and half of what follows. */
export function cutAfterPieces(frames: readonly Frame[], count: number): readonly Frame[] {
  const whole = Math.min(untilPiece(frames, count).length, frames.length - 1);
  return frames.slice(0, whole + 1).map((frame, index) => (index < whole ? frame : halfOf(frame)));
}

function halfOf(frame: Frame): Frame {
  return { ...frame, bytes: frame.bytes.subarray(0, Math.ceil(frame.bytes.length / 2)) };
}
