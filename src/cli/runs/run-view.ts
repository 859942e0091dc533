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

/** What is shown of a run while it goes on. */
interface RunView extends Disposable {
  /** Something happened that was not shown before. */
  see(event: RunEvent, tree: RunTree): void;
}

/** Its events as lines of JSON, its tree where it can be drawn, or nothing; a run of another time has a clock of its own. */
export function createRunView({ flags, own, terminal }: Invocation, now = Date.now): RunView {
  if (flags.json && own['stream'] === true) {
    return { see: (event) => terminal.out(eventLine(event)), [Symbol.dispose]: () => undefined };
  }
  const isDrawn = !flags.json && !flags.quiet && terminal.live !== undefined;
  if (isDrawn) return drawnView(terminal.live, terminal, now);
  return { see: () => undefined, [Symbol.dispose]: () => undefined };
}

const drawEvery = 100; // milliseconds
const leastRows = 4; // for what is written, however large the tree

/** The tree on stderr and below it the end of what a model is writing, drawn over themselves; gone when it is disposed of, but for what a cancelled run was writing. */
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
