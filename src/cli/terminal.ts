import { isatty } from 'node:tty';
import { hasCursor } from '../config/program.ts';
import { optional } from '../core/index.ts';
import { pipedLines, typedLines, type Complete, type Lines } from './input/line-reader.ts';
import {
  askOn,
  forgetTyped as forgetTypedKeys,
  keepTyped as keepTypedKeys,
  type KeptKeys,
} from './input/keyboard.ts';
import { createLiveLines, type LiveLines } from './output/live-lines.ts';

/** Where output goes: answers to stdout, everything else to stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Shows a line on stderr until anything else is written; nothing where stderr is not a terminal. */
  progress(line: string): void;
  /** Lines on stderr that are drawn over until anything else is written; absent where stderr cannot do that. */
  readonly live?: LiveLines;
  /** Asks whoever sits there for a line; absent unless stdin and stderr are terminals. */
  readonly ask?: Ask;
  /** Opens what is said to the program: typed where somebody can be asked, with lines of before, the newest first; else what stdin gives. */
  readonly openLines?: (complete: Complete, earlier?: readonly string[]) => Promise<Lines>;
  /** Throws away what was typed before now, or holds it back for later where typed keys are kept; there is nothing to throw away where nobody can be asked. */
  forgetTyped?(): Promise<void>;
  /** Holds back what is typed, except to an answer, until it is disposed of: it belongs to the next line. */
  keepTyped?(): Promise<Disposable>;
  /** Columns of stdout as it is now; undefined when it is not a terminal. */
  readonly width: number | undefined;
  readonly color: boolean;
  /** Spells a command that a text names as it has to be typed here, or in any folder; absent where that is not known. */
  readonly spell?: (command: string, fromAnywhere?: boolean) => string;
}

/** Resolves with undefined when no answer comes: the input ended, or the signal was aborted. */
export type Ask = (prompt: string, signal?: AbortSignal) => Promise<string | undefined>;

/** The process's own streams; a reader that went away ends the output quietly. */
export function processTerminal(color: 'never' | 'always' | 'auto'): Terminal {
  process.stdout.on('error', endOutput);
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(1); // there is nowhere left to say why
  });
  const line = passingLine();
  const live = process.stderr.isTTY && hasCursor() ? createLiveLines(process.stderr) : undefined;
  const wipe = (): void => {
    line.wipe();
    live?.wipe();
  };
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    wipe();
    stream.write(text);
  };
  let kept: KeptKeys | undefined;
  const reading = <Result>(work: () => Promise<Result>): Promise<Result> => kept?.lend(work) ?? work();
  const ask: Ask = async (prompt, signal) => {
    wipe();
    return reading(() => askOn(process.stdin, process.stderr, prompt, signal));
  };
  const openTyped = async (complete: Complete, earlier: readonly string[] = []): Promise<Lines> => {
    const { stdin: input, stderr: output } = process;
    wipe();
    return typedLines({ input, output, marksPaste: live !== undefined, complete, earlier });
  };
  const keepTyped = async (): Promise<Disposable> => {
    const held = keepTypedKeys(process.stdin, (signal) => {
      wipe();
      process.kill(0, signal);
    });
    kept = held;
    return {
      [Symbol.dispose]: () => {
        kept = undefined;
        held[Symbol.dispose]();
      },
    };
  };
  const openPiped = async (): Promise<Lines> => pipedLines(process.stdin);
  const forgetTyped = async (): Promise<void> => {
    if (kept !== undefined) return kept.putAside();
    return forgetTypedKeys(process.stdin);
  };
  return {
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    progress: line.show,
    ...optional('live', live),
    // Stdin itself would be opened by a look at it.
    ...(isatty(0) && process.stderr.isTTY
      ? { ask, forgetTyped, keepTyped, openLines: openTyped }
      : { openLines: openPiped }),
    get width() {
      return process.stdout.isTTY ? widthOfScreen(process.stdout) : undefined;
    },
    color: color === 'always' || (color === 'auto' && process.stdout.isTTY),
  };
}

/** Some terminals do not say how wide they are; they are terminals all the same. */
function widthOfScreen({ columns }: NodeJS.WriteStream): number {
  return columns > 0 ? columns : 80;
}

/** The one line of stderr that is written over; in blanks and returns, which every terminal knows. */
function passingLine(): { show(line: string): void; wipe(): void } {
  let length = 0;
  const wipe = (): void => {
    if (length > 0) process.stderr.write(`\r${' '.repeat(length)}\r`);
    length = 0;
  };
  const show = (line: string): void => {
    if (!process.stderr.isTTY) return;
    wipe();
    const { columns } = process.stderr;
    const shown = columns > 0 ? line.slice(0, columns - 1) : line;
    process.stderr.write(shown);
    length = shown.length;
  };
  return { show, wipe };
}

/** A reader that went away is no fault; anything else ends the program, since its answer is lost. */
function endOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: The output cannot be written: ${error.message}.\n`);
  process.exit(1);
}
