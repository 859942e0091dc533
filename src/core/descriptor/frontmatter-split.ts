import type { Issue } from '../issue.ts';
import type { Skipped } from './yaml.ts';

/** Where the head and the body of a descriptor lie in its text, and what had to be guessed to find them. */
interface Split {
  /** Undefined when the text has no frontmatter. */
  readonly head: string | undefined;
  /** One-based line on which the head's first line stands. */
  readonly headLine: number;
  readonly bodyStart: number;
  /** One-based. */
  readonly bodyLine: number;
  readonly issues: readonly Issue[];
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Finds the fences as a person would: late, indented, unclosed or unopened ones are found and reported. */
export function splitFrontmatter(text: string): Split {
  const lines = linesOf(text);
  const first = lines.findIndex((line) => line.text.trim() !== '');
  const opening = lines[first]?.text ?? '';
  const fence = /^---(?:[ \t]*([^\s#-]\S*))?(?:[ \t]*#.*)?$/.exec(opening.trim());
  if (fence === null) return unopened(text, lines, first) ?? noFrontmatter();
  const close = closing(lines, first + 1);
  if (close === undefined) return noFrontmatter();

  const issues: Issue[] = [];
  const line = first + 1;
  if (first > 0)
    issues.push(
      repaired('frontmatter.late', line, 'Blank lines stand before the opening fence.', 'Remove them.'),
    );
  if (!opening.startsWith('-')) issues.push(indentedFence('opening', line));
  const language = fence[1];
  const isYaml = language === undefined || /^ya?ml$/i.test(language);
  if (language !== undefined) issues.push(languageOf(language, line));
  issues.push(...close.issues);
  const start = (index: number): number => lines[index]?.start ?? text.length;
  return {
    head: isYaml ? text.slice(start(first + 1), start(close.end)) : '',
    headLine: first + 2,
    bodyStart: start(close.body),
    bodyLine: close.body + 1,
    issues,
  };
}

function noFrontmatter(): Split {
  return { head: undefined, headLine: 1, bodyStart: 0, bodyLine: 1, issues: [] };
}

/** A name and a description at the very top without a fence: the author forgot the first one. */
function unopened(text: string, lines: readonly Line[], first: number): Split | undefined {
  const end = endOfFields(lines, first);
  const keys = lines.slice(first, end).map((line) => fieldKey(line.text)?.toLowerCase());
  if (
    !/^(?:name|description)$/.test(keys[0] ?? '') ||
    !keys.includes('name') ||
    !keys.includes('description')
  )
    return undefined;
  const isClosed = isFence(lines[end]?.text ?? '');
  const body = isClosed ? end + 1 : end;
  const start = (index: number): number => lines[index]?.start ?? text.length;
  return {
    head: text.slice(start(first), start(end)),
    headLine: first + 1,
    bodyStart: start(body),
    bodyLine: body + 1,
    issues: [
      repaired(
        'frontmatter.unopened',
        first + 1,
        'The fields at the top have no opening fence.',
        'Put a --- line before them.',
      ),
    ],
  };
}

/** The lines on which the head ends and the body begins; undefined when the opening fence is only a rule in a body. */
function closing(
  lines: readonly Line[],
  from: number,
): { end: number; body: number; issues: readonly Issue[] } | undefined {
  let indented = -1;
  let heading = -1;
  for (const [index, { text }] of lines.entries()) {
    if (index < from) continue;
    if (isFence(text)) return { end: index, body: index + 1, issues: [] };
    if (heading < 0 && indented < 0 && isFence(text.trimStart())) indented = index;
    else if (/^#{1,6}\s/.test(text)) heading = heading < 0 ? index : heading;
    else if (heading < 0 && indented < 0) continue;
    else if (fieldKey(text) !== undefined) heading = -1;
    else if (isProse(text)) break; // the body: the next fence is a rule in it
  }
  if (indented >= 0)
    return { end: indented, body: indented + 1, issues: [indentedFence('closing', indented + 1)] };
  const end = endOfFields(lines, from);
  if (end === from) return undefined;
  const issue = repaired(
    'frontmatter.unclosed',
    end,
    'The frontmatter is never closed.',
    'Add a --- line after its last field.',
  );
  return { end, body: end, issues: [issue] };
}

/** Behind the last line that is a field or belongs to one. */
function endOfFields(lines: readonly Line[], from: number): number {
  let end = from;
  let isAfterBlank = false;
  for (let index = from; index < lines.length; index++) {
    const text = lines[index]?.text ?? '';
    if (text.trim() === '') {
      if (end === from && index > from) break; // what looked like a comment was a heading
      isAfterBlank = true;
      continue;
    }
    const key = fieldKey(text);
    const isField = key !== undefined && !(isAfterBlank && key.includes(' '));
    const belongs =
      end > from &&
      (/^[ \t]+\S/.test(text) || isConflictMarker(text) || (text.startsWith('- ') && !isAfterBlank));
    const isLeadingComment = end === from && text.startsWith('#');
    if (isField || belongs) end = index + 1;
    else if (!isLeadingComment) break;
    isAfterBlank = false;
  }
  return end;
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^[ \t]|^- /.test(line) && !isConflictMarker(line);
}

function languageOf(language: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.language',
    message: `The opening fence asks for "${language}"; frontmatter is YAML data and is never executed.`,
    line,
    hint: 'Write a plain --- line.',
    standard: true,
  };
}

function indentedFence(which: 'opening' | 'closing', line: number): Issue {
  return repaired(
    'frontmatter.indented-fence',
    line,
    `The ${which} fence is indented.`,
    'Move --- to the start of its line.',
  );
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  const lineEnd = text.includes('\r') ? /\r\n?|\n/g : /\n/g;
  let start = 0;
  for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
    lines.push({ text: text.slice(start, end.index), start });
    start = lineEnd.lastIndex;
  }
  if (start < text.length) lines.push({ text: text.slice(start), start });
  return lines;
}

// A quoted key, or up to four plain words, before a colon that a blank or the end of the line follows.
const field =
  /^(?:"([^"]+)"|'([^']+)'|([\p{L}_][\p{L}\p{M}\p{N}_.-]*(?: [\p{L}\p{M}\p{N}_.-]+){0,3})) *:(?=\s|$)/u;

/** The key that a line of frontmatter starts with, as written; undefined when the line starts no field. */
export function fieldKey(line: string): string | undefined {
  const found = field.exec(line);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Whether a line is a plain closing or opening fence. */
function isFence(line: string): boolean {
  return line.startsWith('---') && /^---[ \t]*$/.test(line);
}

/** Whether a line is what version control leaves where two edits met. */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/.test(line);
}

/** The finding that refuses a file: a limit was passed, so nothing of it is used. */
export function tooLarge(reason: string, line: number): Issue {
  return {
    level: 'error',
    code: 'frontmatter.limit',
    message: `The frontmatter is refused: ${reason}.`,
    line,
    hint: 'Shorten it, or raise the limit in settings (limits).',
  };
}

/** The finding for a key that stands twice. */
export function repeatedKey(key: string, line: number): Issue {
  return repaired(
    'frontmatter.repeated',
    line,
    `"${key}" is given more than once; the first value counts.`,
    'Remove all but one.',
  );
}

/** The finding for something that valid YAML says but frontmatter may not; `firstLine` is where that YAML begins. */
export function skippedPart(skipped: Skipped, firstLine: number): Issue {
  const line = firstLine + skipped.line - 1;
  if (skipped.what === 'repeated') return repeatedKey(skipped.key, line);
  const name = skipped.what === 'unsafe' ? `"${skipped.key}"` : skipped.key;
  return {
    level: 'warning',
    code: 'frontmatter.dropped',
    message: `The frontmatter holds ${name}, which is never read.`,
    line,
    standard: true,
  };
}

/** A finding for something that was repaired, and that the open standard refuses. */
export function repaired(code: Issue['code'], line: number, message: string, hint: string): Issue {
  return { level: 'warning', code, message, line, hint, standard: true };
}
