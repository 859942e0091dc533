const longest = 500; // The maximum number of characters in a reason.
const maxLines = 8; // The maximum number of lines to quote if stderr contains no known crash message.

/**
 * Explains on one line why a program ended, based on its stderr. Returns the message of the fatal error that
 * Node, V8, Python or npm printed, without its stack trace, source excerpt or version line. If no fatal error
 * is found, returns the last lines of stderr, or an empty string if stderr is empty. Pure.
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

/**
 * Describes a thrown value on one line, without the `require` stack that its message may contain. Never
 * throws.
 */
export function reasonLine(thrown: unknown): string {
  return toLine(messageFrom(reasonOf(thrown).split(/\r?\n/), 0));
}

const color = /\p{Cc}\[[\d;]*m/gu; // Matches a terminal colour code such as ESC [ 31 m.
const frame = /^\s+at \S/;

// Matches lines such as "TypeError: …", "Error [ERR_X]: …" and "Fatal error in main(): Error: …".
const errorHead = /^(?=\S)(?:.*?[ :(])?[\w$.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)/;

/**
 * Returns the index of the line where the last error's message begins, or -1 if there is none. A message
 * follows a source excerpt or a Python traceback, or precedes a stack trace. The stack trace of an error's
 * cause, which is indented further, is ignored.
 */
function findMessage(lines: readonly string[]): number {
  let found = -1;
  // The index of a line that may begin an error's message. A stack trace below the line confirms this.
  let head: number | undefined;
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

/**
 * Returns the message that starts at a line, joined into one line. The message ends before its stack trace, a
 * blank line, or text that Node adds.
 */
function messageFrom(lines: readonly string[], start: number): string {
  const isOver = (line: string): boolean =>
    isBlank(line) || frame.test(line) || /^(?:Require stack:|Node\.js v\d|\(Use `node |-{5} )/.test(line);
  const end = lines.findIndex(
    (line, index) => index > start && (isOver(line) || /\] \{$/.test(lines[index - 1] ?? '')),
  );
  return lines.slice(start, end < 0 ? undefined : end).join(' ');
}

/** Puts a message on one line, shortens it, and removes an uninformative prefix such as `Error:`. */
function toLine(message: string): string {
  const line = message
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\[(.*)\](?: \{)?$/, '$1')
    .replace(/^(?:Uncaught )?(\w*Error) \[\w+\]: /, '$1: ')
    .replace(/^(?:Uncaught )?(?:FATAL ERROR|Error): (?=\S)/, '');
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** Finds the file and line number printed above a source excerpt. */
function findSource(lines: readonly string[], start: number): string | undefined {
  const above = lines.slice(Math.max(0, start - 10), start).reverse();
  return above
    .map((line) => /^(?:file:\/\/)?(\/.+:\d+)$/.exec(line)?.[1])
    .find((location) => location !== undefined);
}

/** Finds the reason in npm's output: the first error line that is not a code, a path or a similar field. */
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
  const relevant = lines.filter((line) => !isNoise(line)).map((line) => line.trim());
  return relevant
    .slice(-maxLines)
    .join(' | ')
    .slice(-2 * longest)
    .toWellFormed();
}

/** Describes a thrown value as non-empty text. Never throws, regardless of the value. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null) return reasonIn(thrown);
  return isBlank(thrown) ? 'it threw an empty text' : String(thrown);
}

/** Returns a signal's abort reason as text, or an empty string if it has none. Never throws. */
export function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  const isEmpty = (reason ?? undefined) === undefined || isBlank(reason);
  return isEmpty || (reason instanceof Error && isBlank(reason.message)) ? '' : reasonOf(reason);
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/**
 * Returns the message of a thrown object. Without a message, describes an error by its code, and any other
 * object by its JSON.
 */
function reasonIn(thrown: object): string {
  try {
    const { message, code } = thrown as { readonly message?: unknown; readonly code?: unknown };
    if (typeof message === 'string' && !isBlank(message)) return message;
    if (thrown instanceof Error) {
      const shown = typeof code === 'string' && !isBlank(code) ? ` (${code})` : '';
      return `it threw an error without a message${shown}`;
    }
    const json = JSON.stringify(thrown);
    if (json !== '{}' && json !== '[]') return json.slice(0, 500).toWellFormed();
    return 'it threw an empty object';
  } catch {
    return 'it threw an object that cannot be read';
  }
}
