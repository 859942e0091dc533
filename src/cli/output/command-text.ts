import type { Terminal } from '../terminal.ts';
import { paint } from './status.ts';
import { oneLine } from './text.ts';

type Shown = Pick<Terminal, 'color' | 'spell'>;

// A code span of Markdown that holds a command of ours, maybe with variables before it.
const span = /(?<!`)(`+)(?!`)((?:\w+=\S* )*skilled [^\n]*?)(?<!`)\1(?!`)/g;

/**
 * A text of ours whose commands can be pasted: each one in backticks is spelled as this user has to type it. Without
 * colours the backticks stay where they say how far a command goes; one at the end of a line needs none.
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

/** The same for a document that programs read: the backticks stay. `fromAnywhere` where a command may be typed in another folder. */
export function withPasteable(text: string, terminal: Shown, fromAnywhere = false): string {
  return text.replace(span, (_, marks: string, command: string) => {
    return `${marks}${spelled(command, terminal, fromAnywhere)}${marks}`;
  });
}

/** A command in backticks, also where there are some in it. */
export function codeSpan(command: string): string {
  const longest = Math.max(0, ...(command.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${command}${marks}`;
}

/** A command as this user has to type it. */
export function spelled(command: string, terminal: Shown, fromAnywhere = false): string {
  return terminal.spell?.(command, fromAnywhere) ?? command;
}

/** A word as it is typed into a shell, in quotes where it needs them; on one line, and safe to print. */
export function shellWord(word: string): string {
  const shown = oneLine(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
