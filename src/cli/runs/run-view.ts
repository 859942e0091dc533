import type { RunEvent } from '../../core/index.ts';
import type { RunTree } from '../../views/index.ts';
import {
  drawTree,
  eventLine,
  manyLines,
  rowsOf,
  type Invocation,
  type LiveLines,
  type Terminal,
} from '../command-kit.ts';

/** A run's live view. */
export interface RunView extends Disposable {
  /** Updates the view with a new event. */
  see(event: RunEvent, tree: RunTree): void;
}

/**
 * Creates the live view: JSON lines, the run tree if the terminal can show it, or nothing. For a recorded
 * run, the caller passes a clock that replays the recorded times.
 */
export function createRunView({ flags, own, terminal }: Invocation, now = Date.now): RunView {
  if (flags.json && own['stream'] === true) {
    return { see: (event) => terminal.out(eventLine(event)), [Symbol.dispose]: () => undefined };
  }
  const isDrawn = !flags.json && !flags.quiet && terminal.live !== undefined;
  if (isDrawn) return drawnView(terminal.live, terminal, now);
  return { see: () => undefined, [Symbol.dispose]: () => undefined };
}

const drawEvery = 100; // The redraw interval, in milliseconds.
const leastRows = 4; // The minimum number of rows for the model's text, however large the tree is.

/**
 * Draws the tree on stderr and, below it, the end of the text that a model is writing. Both are redrawn in
 * place. Disposing the view removes them, except for the text that a cancelled run was writing.
 */
export function drawnView(live: LiveLines, terminal: Terminal, now = Date.now): RunView {
  let shown: RunTree | undefined;
  const written = createWrittenText();
  const draw = (): void => {
    if (shown === undefined) return live.show(['…']);
    const { columns, rows } = live.screen();
    const width = columns - 1;
    const tree = drawTree(shown, { now: now(), width, terminal });
    live.show([...tree, ...written.rows(width, Math.max(leastRows, rows - 1 - tree.length))]);
  };
  const timer = setInterval(draw, drawEvery);
  return {
    see(event, tree) {
      shown = tree;
      written.see(event);
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      live.wipe();
      const text = written.cutOff();
      if (text !== '') terminal.err(`${text}\n`);
    },
  };
}

/** The text that models write during a run. */
export interface WrittenText {
  see(event: RunEvent): void;
  /**
   * Returns the end of the text as rows that are safe to print. Empty if no text meant for users is being
   * written.
   */
  rows(columns: number, most: number): readonly string[];
  /** Returns all of the text, safe to print. Empty if no text meant for users is being written. */
  text(): string;
  /** Returns the unfinished text of a cancelled run, safe to print, or an empty string if there is none. */
  cutOff(): string;
}

interface Piece {
  readonly frameId: string;
  readonly attempt: number;
  readonly text: string;
}

const maxCharacters = 20_000; // The maximum number of characters to keep (more than a screen shows).

/**
 * Tracks the text that models write. If several models write at the same time, shows the first one until it
 * is done. Discards the text of a failed attempt.
 */
export function createWrittenText(): WrittenText {
  const writing = new Map<string, Piece>();
  let left = ''; // The unfinished text of the last frame that ended while its model was still writing.
  let isCancelled = false;
  return {
    see(event) {
      if (event.type === 'run.ended') isCancelled = event.status === 'cancelled';
      if (event.type === 'frame.ended') leave(event.frameId);
      if (event.type === 'model.ended') writing.delete(pieceKey(event));
      if (event.type !== 'model.delta') return;
      const { frameId, attempt } = event;
      const key = pieceKey(event);
      const before = writing.get(key);
      const text = before?.attempt === attempt ? before.text + event.text : event.text;
      writing.set(key, { frameId, attempt, text });
      left = '';
    },
    rows(columns, most) {
      const shown = shownOf([...writing.values()]);
      if (shown === '') return [];
      const lines = shown.split('\n').slice(-most);
      return lines.flatMap((line) => rowsOf(line.trimEnd(), columns)).slice(-most);
    },
    text: () => shownOf([...writing.values()]),
    cutOff: () => (isCancelled ? left : ''),
  };

  function leave(frameId: string): void {
    const ended = [...writing].filter(([, piece]) => piece.frameId === frameId);
    for (const [key] of ended) writing.delete(key);
    left = shownOf(ended.map(([, piece]) => piece)) || left;
  }
}

function shownOf(pieces: readonly Piece[]): string {
  const text = pieces.find((piece) => isForPeople(piece.text))?.text ?? '';
  return manyLines(text.slice(-maxCharacters).trim());
}

function pieceKey({ frameId, key }: { readonly frameId: string; readonly key: string }): string {
  return JSON.stringify([frameId, key]);
}

/** Whether text is meant for users. Structured output is meant for the program that requested it. */
export function isForPeople(text: string): boolean {
  return !/^\s*(?:[{[]|`{1,3}$|```|$)/.test(text);
}
