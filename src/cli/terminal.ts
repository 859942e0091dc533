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
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    width: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
    color: color === 'always' || (color === 'auto' && process.stdout.isTTY),
  };
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
