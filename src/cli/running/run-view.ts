import type { RunEvent } from '../../core/event.ts';
import type { RunTree } from '../../views/run-node.ts';
import type { Invocation } from '../command.ts';
import type { LiveLines } from '../output/live-lines.ts';
import { eventLine } from '../output/json.ts';
import { drawTree } from '../output/tree.ts';
import type { Terminal } from '../terminal.ts';
import { createWrittenText } from './written-text.ts';

/** What is shown of a run while it goes on. */
export interface RunView extends Disposable {
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
