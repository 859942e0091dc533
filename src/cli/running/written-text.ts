import type { RunEvent } from '../../core/event.ts';
import { manyLines, rowsOf } from '../output/text.ts';

/** What models write while a run goes on, as far as it is known. */
export interface WrittenText {
  see(event: RunEvent): void;
  /** The end of it in rows that are safe to print; none while nobody writes for people. */
  rows(columns: number, most: number): readonly string[];
  /** What was not written to its end because the run was cancelled, safe to print; empty otherwise. */
  cutOff(): string;
}

interface Piece {
  readonly frameId: string;
  readonly attempt: number;
  readonly text: string;
}

const mostLetters = 20_000; // more than any screen shows

/** Of models that write at the same time the first one is shown until it is done; what an attempt wrote that failed is forgotten. */
export function createWrittenText(): WrittenText {
  const writing = new Map<string, Piece>();
  let left = ''; // by the last frame that ended before its model did
  let isCancelled = false;
  return {
    see(event) {
      if (event.type === 'run.ended') isCancelled = event.status === 'cancelled';
      if (event.type === 'frame.ended') leave(event.frameId);
      if (event.type === 'model.ended') writing.delete(placeOf(event));
      if (event.type !== 'model.delta') return;
      const { frameId, attempt } = event;
      const place = placeOf(event);
      const before = writing.get(place);
      const text = before?.attempt === attempt ? before.text + event.text : event.text;
      writing.set(place, { frameId, attempt, text });
      left = '';
    },
    rows(columns, most) {
      const shown = shownOf([...writing.values()]);
      if (shown === '') return [];
      const lines = shown.split('\n').slice(-most);
      return lines.flatMap((line) => rowsOf(line.trimEnd(), columns)).slice(-most);
    },
    cutOff: () => (isCancelled ? left : ''),
  };

  function leave(frameId: string): void {
    const places = [...writing].filter(([, piece]) => piece.frameId === frameId);
    for (const [place] of places) writing.delete(place);
    left = shownOf(places.map(([, piece]) => piece)) || left;
  }
}

function shownOf(pieces: readonly Piece[]): string {
  const text = pieces.find((piece) => isForPeople(piece.text))?.text ?? '';
  return manyLines(text.slice(-mostLetters).trim());
}

function placeOf({ frameId, key }: { readonly frameId: string; readonly key: string }): string {
  return JSON.stringify([frameId, key]);
}

/** A document is for the program that asked for it. */
function isForPeople(text: string): boolean {
  return !/^\s*(?:[{[]|`{1,3}$|```|$)/.test(text);
}
