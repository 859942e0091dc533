/** Where output goes: answers to stdout, everything else to stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
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
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    width: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
    color: color === 'always' || (color === 'auto' && process.stdout.isTTY),
  };
}

/** A reader that went away is no fault; anything else ends the program, since its answer is lost. */
function endOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: The output cannot be written: ${error.message}.\n`);
  process.exit(1);
}
