import type { Interface } from 'node:readline';

/** A terminal at which a user types. */
interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether the terminal can mark pasted text and clear a row. */
  readonly marksPaste: boolean;
  readonly complete: Complete;
  /** Earlier lines for the arrow keys to recall, newest first. Default: none. */
  readonly earlier?: readonly string[];
}

const maxLines = 1_000; // The maximum number of lines that the arrow keys can recall.

const markPaste = '\u001b[?2004h';
const markPasteNoMore = '\u001b[?2004l';
const clearRow = '\r\u001b[J';

/**
 * Reads the lines that the user types. Supports editing, completion, and recalling earlier lines with the
 * arrow keys. The terminal is taken over only while a line is requested, so at any other time Ctrl+C is a
 * signal. Pasted text stays together, and text typed ahead is kept. Ctrl+C discards the typed text; on an
 * empty line, it ends the input, as Ctrl+D does.
 */
export function typedLines(keyboard: Keyboard): Lines {
  const ready: string[] = [];
  let history = [...(keyboard.earlier ?? [])];
  let begun = ''; // The start of the next line, typed before the prompt appeared.
  let isOver = false;
  return {
    async next(prompt) {
      while (ready.length === 0 && !isOver) await read(prompt);
      return ready.shift();
    },
    [Symbol.dispose]: () => undefined,
  };

  /** Takes over the terminal until a line is complete, the typed text is discarded, or the input ends. */
  function read(prompt: string): Promise<void> {
    const { input, output, marksPaste } = keyboard;
    const reader: Interface = process.getBuiltinModule('node:readline').createInterface({
      input,
      output,
      prompt,
      history,
      historySize: maxLines,
      terminal: true,
      removeHistoryDuplicates: true,
      completer: (typed: string) => completed(reader, typed),
    });
    const pasted: string[] = [];
    let isPasting = false;
    const notePaste = (_text: unknown, key?: { readonly name?: string }): void => {
      if (key?.name === 'paste-start') isPasting = true;
      if (key?.name === 'paste-end') isPasting = false;
    };
    return new Promise((resolve) => {
      const finish = (rest: string): void => {
        begun = rest;
        input.off('keypress', notePaste);
        reader.off('close', end).close();
        // Clear the text typed ahead, because the next prompt shows it again.
        if (rest !== '' && marksPaste) output.write(clearRow);
        if (marksPaste) output.write(markPasteNoMore);
        resolve();
      };
      const end = (): void => {
        isOver = true;
        output.write('\n');
        finish('');
      };
      input.prependListener('keypress', notePaste);
      reader.on('history', (lines) => void (history = lines));
      reader.on('line', (line) => {
        pasted.push(line);
        if (isPasting) return;
        const isFirst = ready.push(pasted.splice(0).join('\n')) === 1;
        // Wait for any other input that arrived together with this line.
        if (isFirst) setImmediate(() => finish(reader.line));
      });
      reader.on('SIGINT', () => {
        if (reader.line === '' && pasted.length === 0) end();
        else {
          output.write('^C\n');
          finish('');
        }
      });
      reader.on('close', end);
      if (marksPaste) output.write(markPaste);
      reader.prompt();
      if (begun !== '') reader.write(begun);
    });
  }

  /** Completes a typed line. A hint is shown above the line and leaves the line unchanged. */
  function completed(reader: Interface, typed: string): [string[], string] {
    const { lines, hint } = keyboard.complete(typed);
    if (hint !== undefined) {
      keyboard.output.write(`\n${hint}\n`);
      reader.prompt(true);
    }
    return [[...lines], typed];
  }
}

/** Reads the lines of a pipe or a file, without prompts. */
export function pipedLines(input: NodeJS.ReadableStream): Lines {
  const reader = process
    .getBuiltinModule('node:readline')
    .createInterface({ input, terminal: false, crlfDelay: Infinity });
  const coming = reader[Symbol.asyncIterator]();
  return {
    async next() {
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
}

/** The result of pressing Tab at the end of a line. */
export interface LineCompletion {
  /** The possible complete lines, which start with the typed text. */
  readonly lines: readonly string[];
  /** A hint, such as the arguments of a skill whose name is complete. */
  readonly hint?: string;
}

/** Returns the completions for a typed line. Must not have side effects that the user notices. */
export type Complete = (typed: string) => LineCompletion;
