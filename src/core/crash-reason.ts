import { reasonOf } from './error.ts';

const longest = 500; // characters of a reason
const mostLines = 8; // of a program that did not crash in a known form

/**
 * Why a program ended, on one line, from its stderr: the message of the error that ended it where Node, V8, Python or npm
 * printed one, without stack, source excerpt and version; else its last lines. Empty for an empty stderr. Pure.
 */
export function crashReason(stderr: string): string {
  const lines = stderr
    .replaceAll(color, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  const start = findMessage(lines);
  if (start < 0) return findNpmError(lines) ?? lastLines(lines);
  const message = toLine(messageFrom(lines, start));
  const source = message.startsWith('SyntaxError: ') ? findSource(lines, start) : undefined;
  return source === undefined ? message : `${message} (${source})`;
}

/** Why something was thrown, on one line: a message can go on with the stack of `require`, or over several lines. Never throws. */
export function reasonLine(thrown: unknown): string {
  return toLine(messageFrom(reasonOf(thrown).split(/\r?\n/), 0));
}

const color = /\p{Cc}\[[\d;]*m/gu; // as in ESC [ 31 m
const frame = /^\s+at \S/;

// As in "TypeError: …", "Error [ERR_X]: …" and "Fatal error in main(): Error: …".
const errorHead = /^(?=\S)(?:.*?[ :(])?[\w$.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)/;

/**
 * Where the message of the last error begins: after a source excerpt, after the frames of a Python traceback, or above
 * the frames of a stack, where those of a cause are indented further. -1 where there is none.
 */
function findMessage(lines: readonly string[]): number {
  let found = -1;
  let head: number | undefined; // a message whose stack has not been seen yet
  let isAfterExcerpt = false;
  let isInTraceback = false;
  for (const [index, line] of lines.entries()) {
    const isUnindented = /^\S/.test(line);
    if (isBlank(line)) head = undefined;
    else if (frame.test(line)) {
      if (head !== undefined && /^ {4}at /.test(line)) found = head;
      head = undefined;
    } else {
      if (/^FATAL ERROR: /.test(line) || (isUnindented && (isAfterExcerpt || isInTraceback))) found = index;
      if (errorHead.test(line)) head = index;
    }
    if (!isBlank(line)) isAfterExcerpt = /^\s*[~^]+$/.test(line) && line.includes('^');
    if (isUnindented) isInTraceback = /^Traceback \(most recent call last\):$/.test(line);
  }
  return found;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

/** The lines of a message: it ends with its stack, with a blank line, or with what Node adds to it. */
function messageFrom(lines: readonly string[], start: number): string {
  const isOver = (line: string): boolean =>
    isBlank(line) || frame.test(line) || /^(?:Require stack:|Node\.js v\d|\(Use `node |-{5} )/.test(line);
  const end = lines.findIndex(
    (line, index) => index > start && (isOver(line) || /\] \{$/.test(lines[index - 1] ?? '')),
  );
  return lines.slice(start, end < 0 ? undefined : end).join(' ');
}

/** A message without the kinds of error that say nothing, short. */
function toLine(message: string): string {
  const line = message
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\[(.*)\](?: \{)?$/, '$1')
    .replace(/^(?:Uncaught )?(\w*Error) \[\w+\]: /, '$1: ')
    .replace(/^(?:Uncaught )?(?:FATAL ERROR|Error): (?=\S)/, '');
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** The file and line above a source excerpt. */
function findSource(lines: readonly string[], start: number): string | undefined {
  const above = lines.slice(Math.max(0, start - 10), start).reverse();
  return above
    .map((line) => /^(?:file:\/\/)?(\/.+:\d+)$/.exec(line)?.[1])
    .find((place) => place !== undefined);
}

/** npm prints codes before the reason, and advice after it. */
function findNpmError(lines: readonly string[]): string | undefined {
  const errors = lines.flatMap((line) => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1] ?? []);
  const reason = errors.find((text) => !/^(?:code|errno|syscall|path|dest) /.test(text));
  return reason === undefined ? undefined : toLine(reason);
}

function lastLines(lines: readonly string[]): string {
  const isNoise = (line: string): boolean =>
    isBlank(line) ||
    frame.test(line) ||
    /^(?:Node\.js v\d|\(node:\d+\) |\(Use `node |npm (?:warn|notice) )/i.test(line);
  const told = lines.filter((line) => !isNoise(line)).map((line) => line.trim());
  return told
    .slice(-mostLines)
    .join(' | ')
    .slice(-2 * longest)
    .toWellFormed();
}
