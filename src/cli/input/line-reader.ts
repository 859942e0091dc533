import { createInterface, type Interface } from 'node:readline';

/** A terminal that a person types at. */
interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether the terminal can be asked to mark what is pasted, and its rows be cleared. */
  readonly marksPaste: boolean;
  readonly complete: Complete;
  /** Lines of before for the arrow keys, the newest first; none unless given. */
  readonly earlier?: readonly string[];
}

const mostLines = 1_000; // at the arrow keys

const markPaste = '\u001b[?2004h';
const markPasteNoMore = '\u001b[?2004l';
const clearRow = '\r\u001b[J';

/**
 * The lines that a person types, with editing, completion and those of before at the arrow keys. The terminal is taken
 * only while a line is asked for, so that Ctrl+C at any other time is a signal. Pasted lines stay one piece; what was
 * typed ahead is kept. Ctrl+C drops what is typed, and where that is nothing it says the same as Ctrl+D: no more comes.
 */
export function typedLines(keyboard: Keyboard): Lines {
  const ready: string[] = [];
  let history = [...(keyboard.earlier ?? [])];
  let begun = ''; // typed behind the end of the last line that was taken
  let isOver = false;
  return {
    async next(prompt) {
      while (ready.length === 0 && !isOver) await read(prompt);
      return ready.shift();
    },
    [Symbol.dispose]: () => undefined,
  };

  /** Takes the terminal until there is a line, or what is typed is dropped, or no more comes. */
  function read(prompt: string): Promise<void> {
    const { input, output, marksPaste } = keyboard;
    const reader: Interface = createInterface({
      input,
      output,
      prompt,
      history,
      historySize: mostLines,
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
      const leave = (rest: string): void => {
        begun = rest;
        input.off('keypress', notePaste);
        reader.off('close', end).close();
        if (rest !== '' && marksPaste) output.write(clearRow); // it is shown again behind the next prompt
        if (marksPaste) output.write(markPasteNoMore);
        resolve();
      };
      const end = (): void => {
        isOver = true;
        output.write('\n');
        leave('');
      };
      input.prependListener('keypress', notePaste);
      reader.on('history', (lines) => void (history = lines));
      reader.on('line', (line) => {
        pasted.push(line);
        if (isPasting) return;
        const isFirst = ready.push(pasted.splice(0).join('\n')) === 1;
        if (isFirst) setImmediate(() => leave(reader.line)); // after all that came with it
      });
      reader.on('SIGINT', () => {
        if (reader.line === '' && pasted.length === 0) end();
        else {
          output.write('^C\n');
          leave('');
        }
      });
      reader.on('close', end);
      if (marksPaste) output.write(markPaste);
      reader.prompt();
      if (begun !== '') reader.write(begun);
    });
  }

  /** A hint is shown above the line, which stays as it is. */
  function completed(reader: Interface, typed: string): [string[], string] {
    const { lines, hint } = keyboard.complete(typed);
    if (hint !== undefined) {
      keyboard.output.write(`\n${hint}\n`);
      reader.prompt(true);
    }
    return [[...lines], typed];
  }
}

/** The lines that a program or a file gives; nobody is prompted. */
export function pipedLines(input: NodeJS.ReadableStream): Lines {
  const reader = createInterface({ input, terminal: false, crlfDelay: Infinity });
  const coming = reader[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await coming.next();
      return done === true ? undefined : value;
    },
    [Symbol.dispose]: () => reader.close(),
  };
}

/** What is said to the program, line by line. */
export interface Lines extends Disposable {
  /** The next one without its end, asked for with these words where somebody sits there; undefined when no more comes. */
  next(prompt: string): Promise<string | undefined>;
}

/** What a line can become when Tab is pressed behind it. */
export interface LineCompletion {
  /** Whole lines that begin with what is typed. */
  readonly lines: readonly string[];
  /** Something to know about a line that is complete. */
  readonly hint?: string;
}

/** Completes a line; pure as far as whoever types can tell. */
export type Complete = (typed: string) => LineCompletion;
