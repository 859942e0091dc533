import { stripVTControlCharacters } from 'node:util';
import { programName } from '../../config/program.ts';
import { widthOf } from './text.ts';

/** A terminal, or a pipe without a width. */
interface Screen {
  readonly width: number | undefined;
}

/**
 * Wraps the lines of a text that are wider than the screen. What follows is indented more than its line. A
 * command and a single word, such as a path, are never broken. In a pipe, the text stays as it is.
 */
export function fitRows(text: string, { width }: Screen): string {
  return width === undefined ? text : fitTo(text, width);
}

/** Wraps lines like `fitRows`, to a width in columns. Pure. */
export function fitTo(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (shownWidth(line) <= width ? [line] : rowsOfLine(line, width)))
    .join('\n');
}

function rowsOfLine(line: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const rows: string[] = [];
  for (const { gap, word } of tokensOf(line.slice(indent.length))) {
    const last = rows.at(-1);
    const joined = last === undefined ? `${indent}${word}` : `${last}${gap}${word}`;
    if (last === undefined) rows.push(joined);
    else if (shownWidth(joined) <= width) rows[rows.length - 1] = joined;
    else rows.push(`${indent}  ${word}`);
  }
  return rows;
}

/** A word, and the spaces before it. */
interface Token {
  readonly gap: string;
  readonly word: string;
}

/** Splits a line into words. A command is one word: in backticks, in bold, or up to the end of the line. */
function tokensOf(line: string): readonly Token[] {
  const program = programName().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const bold = String.raw`\u001b\[1m${program} [^\u001b]*\u001b\[22m`;
  const command = new RegExp(`\`[^\`]+\`\\S*|${bold}\\S*|(?<=^|: )${program} .*$|\\S+`, 'gu');
  let end = 0;
  return [...line.matchAll(command)].map(({ index, 0: word }) => {
    const gap = line.slice(end, index);
    end = index + word.length;
    return { gap, word };
  });
}

function shownWidth(line: string): number {
  return widthOf(stripVTControlCharacters(line));
}
