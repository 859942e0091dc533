import { createInterface, type Interface, type Key } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';

/** A line that is being typed. It only knows its text; the caller draws it. */
export interface LineEditor {
  readonly text: string;
  /** The position of the cursor in the text. */
  readonly cursor: number;
  /** Earlier lines, newest first. */
  readonly history: readonly string[];
  /** Handles a key that edits the line or moves in it or through the earlier lines. */
  press(characters: string | undefined, key: Key): void;
  /** Replaces the text, and moves the cursor to its end. */
  set(text: string): void;
  /** Inserts text at the cursor. It may contain line breaks. */
  insert(text: string): void;
  /** Ends the line and returns its text. It becomes the newest earlier line. */
  submit(): string;
  close(): void;
}

// A line break within the line, as a character that takes one column.
const lineBreak = '\u240a';
const maxLines = 1_000; // The maximum number of lines that the arrow keys can recall.

/**
 * Creates an editor with the keys of Node's readline, such as Ctrl+A, Alt+B and the arrow keys. It never reads
 * or writes a stream.
 */
export function createLineEditor(earlier: readonly string[] = []): LineEditor {
  let history = [...earlier];
  let submitted = '';
  const output = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const reader: Interface = createInterface({
    input: new PassThrough(),
    output: Object.assign(output, { columns: 1_000_000 }),
    prompt: '',
    history,
    historySize: maxLines,
    terminal: true,
    removeHistoryDuplicates: true,
  });
  reader.on('history', (lines) => void (history = lines));
  reader.on('line', (line) => void (submitted = line));
  const press = (key: Key): void => reader.write(null as never, key);
  return {
    get text() {
      return reader.line;
    },
    get cursor() {
      return reader.cursor;
    },
    get history() {
      return history;
    },
    press(characters, key) {
      reader.write((characters ?? null) as never, key);
    },
    set(text) {
      press({ name: 'e', ctrl: true });
      press({ name: 'u', ctrl: true });
      if (text !== '') reader.write(text.replace(/\r\n?|\n/g, lineBreak));
    },
    insert: (text) => reader.write(text.replace(/\r\n?|\n/g, lineBreak)),
    submit() {
      press({ name: 'return' });
      return submitted.replaceAll(lineBreak, '\n');
    },
    close: () => reader.close(),
  };
}
