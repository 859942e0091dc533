/** Where output goes: answers to stdout, everything else to stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Shows a line on stderr until anything else is written; nothing where stderr is not a terminal. */
  progress(line: string): void;
  /** Columns of stdout; undefined when it is not a terminal. */
  readonly width: number | undefined;
  readonly color: boolean;
}

/** The process's own streams; a reader that went away ends the output quietly. */
export function processTerminal(color: 'never' | 'always' | 'auto'): Terminal {
  process.stdout.on('error', endOutput);
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(1); // there is nowhere left to say why
  });
  const line = passingLine();
  return {
    out: (text) => {
      line.wipe();
      process.stdout.write(text);
    },
    err: (text) => {
      line.wipe();
      process.stderr.write(text);
    },
    progress: line.show,
    width: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
    color: color === 'always' || (color === 'auto' && process.stdout.isTTY),
  };
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
