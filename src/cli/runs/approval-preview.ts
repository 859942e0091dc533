import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { styleText } from 'node:util';
import { isJsonObject, visible, type ApprovalRequest, type Json, type JsonObject } from '../../core/index.ts';
import { pasteable, type Terminal } from '../command-kit.ts';
import { diffLines, type DiffLine } from './line-diff.ts';

/** The terminal that shows an approval. */
interface PreviewLook {
  readonly terminal: Pick<Terminal, 'color' | 'spell'>;
  /** The folder that paths are relative to. */
  readonly cwd: string;
}

const maxLines = 40;
const maxCharacters = 1_000; // The maximum number of characters of a line.
const maxBytes = 1_000_000; // A larger file is not compared.

/**
 * Shows what a call would do: a command as it was written, the difference in a file, or the input by name.
 * Invisible characters are escaped. What does not fit is counted.
 */
export function previewLines(asks: ApprovalRequest, look: PreviewLook): readonly string[] {
  const { input, rule } = asks;
  const changed = /^(?:Write|Edit)(?:\(|$)/.test(rule) ? changeIn(input, look.cwd) : undefined;
  if (changed !== undefined) {
    const [name, ...lines] = changed;
    return limited([`  ${shown(name)}`, ...lines.map((line) => `  ${paintDiff(line, look)}`)], look);
  }
  const command = commandOf(asks);
  if (command !== undefined) {
    const { command: _, ...others } = input as JsonObject;
    const lines = command.split('\n').map((line, index) => `  ${index === 0 ? '$' : ' '} ${shown(line)}`);
    return limited([...lines, ...fieldLines(others)], look);
  }
  return limited(fieldLines(input), look);
}

/** Returns the command that a call would run, or undefined if it runs none. */
export function commandOf({ input, rule }: ApprovalRequest): string | undefined {
  const command = isJsonObject(input) && /^Bash(?:\(|$)/.test(rule) ? input['command'] : undefined;
  return typeof command === 'string' ? command : undefined;
}

/** Shows spaces as they are, and escapes everything else that cannot be seen. */
function shown(line: string): string {
  return visible(line.replace(/\t/g, '  '));
}

function limited(all: readonly string[], { terminal }: PreviewLook): readonly string[] {
  const lines = all.map((line) => cutLine(line, terminal));
  if (lines.length <= maxLines) return lines;
  const more = (lines.length - maxLines).toLocaleString('en');
  return [
    ...lines.slice(0, maxLines),
    pasteable(`  … ${more} more lines: \`skilled approve --json\``, terminal),
  ];
}

/** Cuts a line that is too long, and counts what is not shown. */
function cutLine(line: string, terminal: PreviewLook['terminal']): string {
  if (line.length <= maxCharacters) return line;
  const more = (line.length - maxCharacters).toLocaleString('en');
  const rest = pasteable(`(${more} more characters: \`skilled approve --json\`)`, terminal);
  return `${line.slice(0, maxCharacters).toWellFormed()}… ${rest}`;
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

function paintDiff({ sign, text }: DiffLine, { terminal }: PreviewLook): string {
  const line = `${sign} ${shown(text)}`.trimEnd();
  const color = colors[sign];
  return terminal.color && color !== undefined ? styleText(color, line, { validateStream: false }) : line;
}

/** Formats an input as one line for each of its members. */
function fieldLines(input: Json): readonly string[] {
  if (input === null) return [];
  if (!isJsonObject(input))
    return valueText(input)
      .split('\n')
      .map((line) => `  ${line}`);
  return Object.entries(input).flatMap(([name, value]) => {
    const [first = '', ...others] = valueText(value).split('\n');
    return [`  ${visible(name)}: ${first}`, ...others.map((line) => `    ${line}`)];
  });
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.split('\n').map(shown).join('\n');
}
