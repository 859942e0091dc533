/** Reads the lines of a pipe or a file. `show` writes the prompts, if a person types at a simple terminal. */
export function pipedLines(
  input: NodeJS.ReadableStream,
  show: (prompt: string) => void = () => undefined,
): Lines {
  const reader = process
    .getBuiltinModule('node:readline')
    .createInterface({ input, terminal: false, crlfDelay: Infinity });
  const coming = reader[Symbol.asyncIterator]();
  return {
    async next(prompt) {
      show(prompt);
      const { done, value } = await coming.next();
      return done === true ? undefined : value;
    },
    [Symbol.dispose]: () => reader.close(),
  };
}

/** Input that is read line by line. */
export interface Lines extends Disposable {
  /**
   * Returns the next line without its line ending, or undefined at the end of the input. On a terminal, shows
   * the prompt first.
   */
  next(prompt: string): Promise<string | undefined>;
  /** Lets the user type while a run works, until disposal. Absent if the terminal cannot show that. */
  during?(typing: Typing): Disposable;
}

/** The handlers of keys that the user types during a run. */
export interface Typing {
  /** The text to show below the line, which explains the keys. */
  readonly hint: string;
  /** Takes a line. If it does not return true, the line becomes the next one that is requested. */
  readonly onLine: (line: string) => boolean;
  /** Called when the user presses Esc. */
  readonly onStop: () => void;
}

/** The result of pressing Tab at the end of a line. */
export interface LineCompletion {
  /** The possible complete lines, which start with the typed text. */
  readonly lines: readonly string[];
  /** Lines that explain the possibilities. They are shown while the user types. */
  readonly suggestions?: readonly string[];
  /** A hint, such as the arguments of a skill whose name is complete. */
  readonly hint?: string;
}

/** Returns the completions for a typed line. Must not have side effects that the user notices. */
export type Complete = (typed: string) => LineCompletion;
