import { emitKeypressEvents, type Key } from 'node:readline';
import { onAbort, pause } from '../../core/index.ts';
import type { Footer, LiveLines } from '../output/live-lines.ts';
import { cutTo, rowsOf, widthOf, wrapWords } from '../output/text.ts';
import { createLineEditor, type LineEditor } from './line-editor.ts';
import { createHistorySearch, type HistorySearch } from './history-search.ts';
import type { Complete, LineCompletion, Lines, Typing } from './line-reader.ts';

/** A terminal that delivers each key as it is typed. */
export interface KeyInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown;
}

/** The terminal that the user types at. */
interface Desk {
  readonly input: KeyInput;
  readonly live: LiveLines;
  /** Writes text that stays above the line. */
  readonly write: (text: string) => void;
  /** Writes control sequences, which move nothing. */
  readonly control: (sequence: string) => void;
  readonly complete: Complete;
  /** Earlier lines for the arrow keys to recall, newest first. */
  readonly earlier: readonly string[];
  /** Sends a signal to the foreground process group, as the terminal would. */
  readonly send: (signal: NodeJS.Signals) => void;
}

/** The line at the bottom of the terminal, which the user can edit at any time. */
export interface Composer extends Lines {
  /** Asks for one line. The line that the user is typing is kept for later and cannot be the answer. */
  ask(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
}

const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';
const escapeMs = 60; // The time after which an Esc byte is the Esc key rather than the start of a sequence.
const arrivalMs = 40; // The time to wait for keys that were typed before a question appeared.

const signals: Readonly<Record<string, NodeJS.Signals>> = { '\\': 'SIGQUIT', z: 'SIGTSTP' };

/**
 * Opens the line at the bottom of the terminal. It reads keys until disposal, so that nothing that is typed is
 * echoed into other output. A line that is complete before it is requested is kept.
 */
export function openComposer(desk: Desk): Composer {
  const { input, live, complete } = desk;
  const editor = createLineEditor(desk.earlier);
  const ready: string[] = [];
  let asking: Asked | undefined; // The request for a line, or the question that interrupts it.
  let waiting: Asked | undefined; // The request for the next line.
  let typing: Typing | undefined;
  let search: HistorySearch | undefined;
  let pasted: string | undefined;
  let isOver = false;

  const onKey = (characters: string | undefined, key: Key): void => {
    if (!takePaste(characters, key)) takeKey(characters, key);
    draw();
  };
  const stop = (): void => {
    input.off('keypress', onKey);
    input.pause();
    input.setRawMode?.(false);
    desk.control(pasteOff);
  };
  const start = (): void => {
    process.off('SIGCONT', start);
    input.setRawMode?.(true);
    desk.control(pasteOn);
    emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as never);
    input.on('keypress', onKey);
    input.resume();
    draw();
  };
  const onEnd = (): void => end();
  start();
  input.on('end', onEnd);
  process.on('exit', restore);

  return {
    next(prompt) {
      const line = ready.shift();
      if (line !== undefined || isOver) {
        if (line !== undefined) keep(`${prompt}${line}`);
        return Promise.resolve(line);
      }
      return new Promise((resolve) => {
        waiting = { prompt, editor, resolve };
        draw();
      });
    },
    async ask(prompt, signal) {
      await pause(arrivalMs);
      if (signal?.aborted === true || isOver) return undefined;
      const own = createLineEditor();
      const answered = Promise.withResolvers<string | undefined>();
      using _aborted = onAbort(signal, () => answered.resolve(undefined));
      asking = { prompt, editor: own, resolve: answered.resolve };
      draw();
      try {
        return await answered.promise;
      } finally {
        asking = undefined;
        own.close();
        draw();
      }
    },
    during(how) {
      typing = how;
      draw();
      return {
        [Symbol.dispose]() {
          typing = undefined;
          draw();
        },
      };
    },
    [Symbol.dispose]() {
      process.off('exit', restore);
      input.off('end', onEnd);
      stop();
      live.setFooter(undefined);
      editor.close();
    },
  };

  /** Leaves nothing half drawn if the process ends while a line is shown. */
  function restore(): void {
    live.setFooter(undefined);
    desk.control(pasteOff);
  }

  function draw(): void {
    const { columns } = live.screen();
    const shown = asking ?? waiting;
    if (shown === undefined && typing === undefined) return live.setFooter(undefined);
    const { prompt, editor: edited } = shown ?? { prompt: '> ', editor };
    const rows =
      search === undefined
        ? typedRows(prompt, edited.text, edited.cursor, columns - 1)
        : typedRows(`(search) ${search.query}: `, search.found, 0, columns - 1);
    live.setFooter({ ...rows, lines: [...rows.lines, ...belowLine(columns - 1)] });
  }

  /** Returns the lines below the typed one: suggestions, or the keys that work during a run. */
  function belowLine(width: number): readonly string[] {
    if (asking !== undefined || search !== undefined) return [];
    if (waiting === undefined) return typing === undefined ? [] : [cutTo(typing.hint, width)];
    return suggestionsFor(editor).map((line) => cutTo(line, width));
  }

  function suggestionsFor({ text, cursor }: LineEditor): readonly string[] {
    const { hint, suggestions = [] } = complete(text.slice(0, cursor));
    return hint === undefined ? suggestions : [hint];
  }

  /** Collects pasted text, so that its line breaks do not end the line. Returns whether it took the key. */
  function takePaste(characters: string | undefined, { name }: Key): boolean {
    const isPasting = pasted !== undefined;
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') {
      (asking?.editor ?? editor).insert(pasted ?? '');
      pasted = undefined;
    } else if (isPasting) pasted = `${pasted ?? ''}${characters ?? ''}`;
    return isPasting || name === 'paste-start' || name === 'paste-end';
  }

  function takeKey(characters: string | undefined, key: Key): void {
    const { name = '', ctrl = false, meta = false } = key;
    const edited = asking?.editor ?? editor;
    if (search !== undefined && search.press(characters, key) === 'taken') return;
    if (search !== undefined) {
      editor.set(search.found);
      search = undefined;
      if (name === 'escape') return;
    }
    if (ctrl && name === 'c') return cancelLine(edited);
    if (ctrl && name === 'd' && edited.text === '') return end();
    if (ctrl && name === 'l') return clear();
    if (ctrl && name === 'r' && asking === undefined) {
      search = createHistorySearch(editor.history, editor.text);
      return;
    }
    const signal = ctrl ? signals[name] : undefined;
    if (signal !== undefined) return suspend(signal);
    if (name === 'escape') return typing?.onStop();
    if (name === 'return' && meta) return edited.insert('\n');
    if (name === 'return' || name === 'enter') return submit(edited);
    if (name === 'tab') return completeLine(edited);
    edited.press(characters, key);
  }

  function submit(edited: LineEditor): void {
    const line = edited.submit();
    if (asking !== undefined) return finish(asking, line);
    if (waiting !== undefined) {
      const request = waiting;
      waiting = undefined;
      return finish(request, line);
    }
    if (line.trim() === '') return;
    if (typing?.onLine(line) !== true) ready.push(line);
  }

  function finish({ prompt, resolve }: Asked, line: string): void {
    keep(`${prompt}${line}`);
    resolve(line);
  }

  /** Writes a line that was typed, wrapped between words, so that it stays above. */
  function keep(typed: string): void {
    const width = live.screen().columns - 1;
    const lines = typed.split('\n').flatMap((line) => wrapWords(line, width, '  '));
    desk.write(lines.map((line) => `${line}\n`).join(''));
  }

  function completeLine(edited: LineEditor): void {
    if (asking !== undefined) return;
    const before = edited.text.slice(0, edited.cursor);
    const common = commonStart(complete(before).lines);
    if (common.length > before.length) edited.insert(common.slice(before.length));
  }

  /** Discards the typed text. On an empty line, ends the input or, during a run, interrupts it. */
  function cancelLine(edited: LineEditor): void {
    if (asking !== undefined || waiting === undefined) {
      ready.length = 0;
      edited.set('');
      desk.send('SIGINT');
    } else if (edited.text === '') end();
    else {
      keep(`${waiting.prompt}${edited.text}^C`);
      edited.set('');
    }
  }

  function end(): void {
    if (asking !== undefined) return asking.resolve(undefined);
    if (waiting === undefined) return;
    isOver = true;
    desk.write(`${waiting.prompt}\n`);
    waiting.resolve(undefined);
    waiting = undefined;
  }

  function clear(): void {
    live.above(() => desk.control(clearScreen));
  }

  /** Gives the terminal back before a signal stops the process, and takes it again afterwards. */
  function suspend(signal: NodeJS.Signals): void {
    live.above(stop);
    if (signal === 'SIGTSTP') process.once('SIGCONT', start);
    desk.send(signal);
  }
}

/** A request for a line. */
interface Asked {
  readonly prompt: string;
  readonly editor: LineEditor;
  readonly resolve: (line: string | undefined) => void;
}

/** Returns the longest text with which all lines start. */
function commonStart(lines: LineCompletion['lines']): string {
  const [first = '', ...others] = lines;
  let length = first.length;
  for (const line of others) while (!line.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

/** Lays out a prompt and the text after it. The text wraps where the screen ends. */
function typedRows(prompt: string, text: string, cursor: number, width: number): Footer {
  const before = rowsOf(`${prompt}${text.slice(0, cursor)}`, width);
  const lines = rowsOf(`${prompt}${text}`, width);
  return { lines, row: before.length - 1, column: widthOf(before.at(-1) ?? '') };
}
