/** What keeps code from being used. */
export interface Fault {
  /** From the folder of the skill, as `src/index.ts`; absent where no single file is to blame. */
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

/** A fault as compilers print it: place first. */
export function printFault({ file, line, message }: Fault): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}
