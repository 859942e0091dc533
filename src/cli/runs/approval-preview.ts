import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { styleText } from 'node:util';
import { isJsonObject, type ApprovalRequest, type Json, type JsonObject } from '../../core/index.ts';
import { pasteable, rowsOf, widthOf, type Terminal } from '../command-kit.ts';
import { escaped, fieldLines } from './input-fields.ts';
import { diffLines, type DiffLine } from './line-diff.ts';

/** The terminal that shows an approval. */
interface PreviewLook {
  readonly terminal: Pick<Terminal, 'color' | 'spell'>;
  /** The folder that paths are relative to. */
  readonly cwd: string;
  /** The maximum width of a line, in columns. Longer lines continue below. Default: any width. */
  readonly width?: number;
}

/** A line of a preview, and how to colour it. */
interface PreviewLine {
  readonly text: string;
  /** The indentation of the rows on which the line continues. */
  readonly indent: string;
  readonly paint?: (text: string) => string;
}

const maxLines = 40;
const maxCharacters = 1_000; // The maximum number of characters of a line.
const maxBytes = 1_000_000; // A larger file is not compared.

/**
 * Shows what a call would do: a command as it was written, the difference in a file, or the input by name.
 * Invisible characters are escaped. Nothing is dropped where a line continues; what is left out is counted.
 */
export function previewLines(asks: ApprovalRequest, look: PreviewLook): readonly string[] {
  const { input, rule } = asks;
  const { width = Infinity } = look;
  const changed = /^(?:Write|Edit)(?:\(|$)/.test(rule) ? changeIn(input, look.cwd) : undefined;
  if (changed !== undefined) {
    const [name, ...lines] = changed;
    return limited([plain(`  ${escaped(name)}`), ...lines.map((line) => diffLine(line, look))], look);
  }
  const command = commandOf(asks);
  if (command !== undefined) {
    const { command: _, ...others } = input as JsonObject;
    const lines = command.split('\n').map((line, index) => `  ${index === 0 ? '$' : ' '} ${escaped(line)}`);
    return limited([...lines, ...fieldLines(others, width)].map(plain), look);
  }
  return limited(fieldLines(input, width).map(plain), look);
}

/** Returns the command that a call would run, or undefined if it runs none. */
export function commandOf({ input, rule }: ApprovalRequest): string | undefined {
  const command = isJsonObject(input) && /^Bash(?:\(|$)/.test(rule) ? input['command'] : undefined;
  return typeof command === 'string' ? command : undefined;
}

function plain(text: string): PreviewLine {
  const [indent = ''] = /^ */.exec(text) ?? [];
  return { text, indent: `${indent}  ` };
}

function limited(all: readonly PreviewLine[], look: PreviewLook): readonly string[] {
  const shown = all.slice(0, maxLines).flatMap((line) => rowsIn(line, look));
  if (all.length <= maxLines) return shown;
  const more = (all.length - maxLines).toLocaleString('en');
  return [...shown, pasteable(`  … ${more} more lines: \`skilled approve --json\``, look.terminal)];
}

/** Breaks a line into rows. A line that is much too long is cut, and what is not shown is counted. */
function rowsIn(
  { text, indent, paint = (row) => row }: PreviewLine,
  { terminal, width = Infinity }: PreviewLook,
): readonly string[] {
  const isCut = text.length > maxCharacters;
  const shown = isCut ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
  const rows = foldLine(shown, width, indent).map(paint);
  if (!isCut) return rows;
  const more = (text.length - maxCharacters).toLocaleString('en');
  const rest = pasteable(`(${more} more characters: \`skilled approve --json\`)`, terminal);
  return width === Infinity ? [`${rows.join('')} ${rest}`] : [...rows, `${indent}${rest}`];
}

const leastText = 8; // The minimum number of columns of text in a row.

/** Breaks a line at spaces, or anywhere in a word that is too wide. All characters are kept. */
function foldLine(line: string, width: number, indent: string): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const [first = ''] = rowsOf(line, Math.max(width, indent.length + leastText));
  const space = first.lastIndexOf(' ') + 1;
  const isAtSpace = space > indent.length && space > first.length / 2;
  const end = isAtSpace ? space : first.length;
  return [line.slice(0, end), ...foldLine(`${indent}${line.slice(end)}`, width, indent)];
}

/** Returns the name of a file and the difference that a call would make in it, or undefined if it cannot be determined. */
function changeIn(input: Json, cwd: string): readonly [string, ...DiffLine[]] | undefined {
  if (!isJsonObject(input)) return undefined;
  const { file_path: path, content, old_string: old, new_string: now, replace_all: isEvery } = input;
  if (typeof path !== 'string') return undefined;
  const before = readText(resolve(cwd, path), cwd);
  if (typeof content === 'string') {
    return [before === undefined ? `${path} (new)` : path, ...diffLines(before ?? '', content)];
  }
  if (typeof old !== 'string' || typeof now !== 'string') return undefined;
  const isFound = before?.includes(old) === true && old !== '';
  const after = isEvery === true ? before?.replaceAll(old, () => now) : before?.replace(old, () => now);
  const change = isFound ? diffLines(before, after ?? '') : diffLines(old, now);
  return [path, ...change];
}

/** Returns the text of a regular file in the folder. Other files are not opened, or only described. */
function readText(path: string, cwd: string): string | undefined {
  try {
    const within = relative(realpathSync.native(cwd), realpathSync.native(path));
    if (within.startsWith('..') || isAbsolute(within)) return undefined;
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= maxBytes
        ? readFileSync(file, 'utf8').replace(/\r\n/g, '\n')
        : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // There is no such file yet, or it cannot be read.
  }
}

const colors = { '+': 'green', '-': 'red', ' ': undefined, '…': 'dim' } as const;

function diffLine({ sign, text }: DiffLine, { terminal }: PreviewLook): PreviewLine {
  const color = colors[sign];
  return {
    text: `  ${sign} ${escaped(text)}`.trimEnd(),
    indent: '    ',
    ...(terminal.color && color !== undefined
      ? { paint: (row: string): string => styleText(color, row, { validateStream: false }) }
      : {}),
  };
}
