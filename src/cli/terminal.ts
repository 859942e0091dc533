import { hasCursor } from '../config/program.ts';
import { optional } from '../core/index.ts';
import { openComposer, type Composer } from './input/composer.ts';
import { pipedLines, type Complete, type Lines } from './input/line-reader.ts';
import { askOn, forgetTyped as forgetTypedKeys } from './input/keyboard.ts';
import { fitTo } from './output/fit.ts';
import { createLiveLines, type LiveLines } from './output/live-lines.ts';

/** The terminal of a command. Results go to stdout, everything else to stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Shows a line on stderr until other output is written. Does nothing if stderr is not a terminal. */
  progress(line: string): void;
  /** Lines on stderr that are redrawn until other output follows. Absent if stderr cannot redraw lines. */
  readonly live?: LiveLines;
  /** Prompts the user for a line. Absent unless stdin and stderr are terminals. */
  readonly ask?: Ask;
  /**
   * Opens the input. At a terminal, the user types lines and can recall earlier ones (newest first) with the
   * arrow keys. Otherwise, lines are read from stdin.
   */
  readonly openLines?: (complete: Complete, earlier?: readonly string[]) => Promise<Lines>;
  /**
   * Discards the user's typed input, unless it belongs to a line that is still being typed. Absent if the user
   * cannot be prompted.
   */
  forgetTyped?(): Promise<void>;
  /** The current width of stdout in columns, or undefined if stdout is not a terminal. */
  readonly width: number | undefined;
  readonly color: boolean;
  /**
   * Formats a suggested command as the user must type it in this folder, or in any folder. Absent if commands
   * cannot be adapted.
   */
  readonly spell?: (command: string, fromAnywhere?: boolean) => string;
}

/** Prompts the user for a line. Resolves to undefined if the input ends or the signal is aborted. */
export type Ask = (prompt: string, signal?: AbortSignal) => Promise<string | undefined>;

/**
 * Returns a terminal that uses the process's own streams. If the reader of the output closes its end, no
 * error is reported.
 */
export function processTerminal(color: 'never' | 'always' | 'auto'): Terminal {
  process.stdout.on('error', endOutput);
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    // The error cannot be reported, because stderr itself has failed.
    if (error.code !== 'EPIPE') process.exit(1);
  });
  const line = passingLine();
  const live = process.stderr.isTTY && hasCursor() ? createLiveLines(process.stderr) : undefined;
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    line.wipe();
    if (live === undefined) stream.write(text);
    else live.above(() => void stream.write(text));
  };
  let composer: Composer | undefined;
  let open: Lines | undefined; // The lines of a terminal that cannot redraw lines.
  const ask: Ask = async (prompt, signal) => {
    if (composer !== undefined) return composer.ask(prompt, signal);
    if (open !== undefined) return open.next(prompt);
    line.wipe();
    live?.wipe();
    return askOn(process.stdin, process.stderr, prompt, signal);
  };
  const openTyped = async (complete: Complete, earlier: readonly string[] = []): Promise<Lines> => {
    const { stdin: input } = process;
    if (live === undefined) return (open = pipedLines(input, (prompt) => void process.stderr.write(prompt)));
    const opened = openComposer({
      input,
      live,
      complete,
      earlier,
      write: (text) => write(process.stderr, text),
      control: (sequence) => void process.stderr.write(sequence),
      send: (signal) => void process.kill(0, signal),
    });
    composer = opened;
    return {
      next: opened.next,
      ...optional('during', opened.during),
      [Symbol.dispose]: () => {
        composer = undefined;
        opened[Symbol.dispose]();
      },
    };
  };
  const openPiped = async (): Promise<Lines> => pipedLines(process.stdin);
  const forgetTyped = async (): Promise<void> => {
    if (composer === undefined && open === undefined) await forgetTypedKeys(process.stdin);
  };
  return {
    out: (text) => write(process.stdout, text),
    err: (text) =>
      write(process.stderr, process.stderr.isTTY ? fitTo(text, widthOfScreen(process.stderr)) : text),
    progress: line.show,
    ...optional('live', live),
    // `isatty` is used because reading `process.stdin` would open stdin.
    ...(process.stderr.isTTY && process.getBuiltinModule('node:tty').isatty(0)
      ? { ask, forgetTyped, openLines: openTyped }
      : { openLines: openPiped }),
    get width() {
      return process.stdout.isTTY ? widthOfScreen(process.stdout) : undefined;
    },
    color: color === 'always' || (color === 'auto' && process.stdout.isTTY),
  };
}

/** Returns the screen's width in columns, or 80 if the terminal does not report it. */
function widthOfScreen({ columns }: NodeJS.WriteStream): number {
  return columns > 0 ? columns : 80;
}

/**
 * Creates the progress line on stderr. It is erased with spaces and carriage returns, which every terminal
 * supports.
 */
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

/**
 * Handles a failed write to stdout. Ignores the error if the reader closed its end. Any other error ends the
 * program, because output is lost.
 */
function endOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: Cannot write the output: ${error.message}.\n`);
  process.exit(1);
}
