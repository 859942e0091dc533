import type { Terminal } from '../terminal.ts';
import { paint } from './status.ts';
import { oneLine, wrapWords } from './text.ts';

type Shown = Pick<Terminal, 'color' | 'spell'>;

// Matches a Markdown code span with a `skilled` command, optionally preceded by variable assignments.
const span = /(?<!`)(`+)(?!`)((?:\w+=\S* )*skilled [^\n]*?)(?<!`)\1(?!`)/g;

/**
 * Makes the commands in a message pasteable: each command in backticks is replaced with the exact text that
 * this user must type. Without colours, keeps the backticks to mark the end of a command, except at the end
 * of a line.
 */
export function pasteable(text: string, terminal: Shown): string {
  return text.split('\n').map(shownLine).join('\n');

  function shownLine(line: string): string {
    const [first, second] = line.matchAll(span);
    if (first === undefined) return line;
    const rest = line.slice(first.index + first[0].length);
    if (second === undefined && /^\.?$/.test(rest)) return line.slice(0, first.index) + shown('', first[2]);
    return line.replace(span, (_, marks: string, command: string) => shown(marks, command));
  }

  function shown(marks: string, command = ''): string {
    const typed = spelled(command, terminal);
    return terminal.color ? paint(typed, 'bold', terminal) : `${marks}${typed}${marks}`;
  }
}

// Private characters that mark a command while its text is wrapped.
const [commandStart, commandEnd, commandSpace] = ['\ue000', '\ue001', '\ue002'];

/**
 * Makes the commands in a text pasteable, and wraps the text into lines of `width` columns. A command is never
 * broken, even if it is wider.
 */
export function pasteableLines(
  text: string,
  terminal: Shown,
  { width, indent }: { readonly width: number; readonly indent: string },
): readonly string[] {
  const marked = text.replace(span, (_, __, command: string) => {
    const typed = spelled(command, terminal).replaceAll(' ', commandSpace);
    return `${commandStart}${typed}${commandEnd}`;
  });
  return wrapWords(`${indent}${marked}`, width, indent).map((line) =>
    line.replace(/\ue000([^\ue001]*)\ue001(?=(\.?$)?)/g, (_, command: string, end?: string) => {
      const typed = command.replaceAll(commandSpace, ' ');
      if (terminal.color) return paint(typed, 'bold', terminal);
      return end === undefined ? `\`${typed}\`` : typed;
    }),
  );
}

/**
 * Makes the commands in a text pasteable, like `pasteable`, and wraps each line to the width of the screen, with
 * the line's own indentation.
 */
export function pasteableRows(text: string, terminal: Shown & Pick<Terminal, 'width'>): string {
  const { width } = terminal;
  if (width === undefined) return pasteable(text, terminal);
  const rows = text.split('\n').flatMap((line) => {
    const [indent] = /^ */.exec(line) ?? [''];
    return line === '' ? [''] : pasteableLines(line.slice(indent.length), terminal, { width, indent });
  });
  return rows.join('\n');
}

/**
 * Makes commands pasteable, like `pasteable`, but keeps the backticks. Used for output that programs read.
 * Set `fromAnywhere` if a command might be typed in another folder.
 */
export function withPasteable(text: string, terminal: Shown, fromAnywhere = false): string {
  return text.replace(span, (_, marks: string, command: string) => {
    return `${marks}${spelled(command, terminal, fromAnywhere)}${marks}`;
  });
}

/** Formats a command as a Markdown code span, even if the command contains backticks. */
export function codeSpan(command: string): string {
  const longest = Math.max(0, ...(command.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${command}${marks}`;
}

/** Returns a command exactly as this user must type it. */
export function spelled(command: string, terminal: Shown, fromAnywhere = false): string {
  return terminal.spell?.(command, fromAnywhere) ?? command;
}

/** Formats an argument for a shell. It is quoted if needed, on one line, and safe to print. */
export function shellWord(word: string): string {
  const shown = oneLine(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
