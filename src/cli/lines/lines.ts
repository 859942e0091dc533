/** What is said to the program, line by line. */
export interface Lines extends Disposable {
  /** The next one without its end, asked for with these words where somebody sits there; undefined when no more comes. */
  next(prompt: string): Promise<string | undefined>;
}

/** What a line can become when Tab is pressed behind it. */
export interface Completion {
  /** Whole lines that begin with what is typed. */
  readonly lines: readonly string[];
  /** Something to know about a line that is complete. */
  readonly hint?: string;
}

/** Completes a line; pure as far as whoever types can tell. */
export type Complete = (typed: string) => Completion;
