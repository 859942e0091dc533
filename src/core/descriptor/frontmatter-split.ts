import type { Issue } from '../issue.ts';
import { belowPreface, indentedFence, languageOf, repaired } from './frontmatter-issues.ts';
import { findPreface, visibleText } from './frontmatter-preface.ts';

/** A descriptor split into frontmatter and body, with the issues found while splitting. */
interface Split {
  /** The frontmatter's text, or undefined if the file has none. */
  readonly head: string | undefined;
  /** The one-based number of the frontmatter's first line. */
  readonly headLine: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** The one-based line number where the body starts. */
  readonly bodyLine: number;
  readonly issues: readonly Issue[];
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/**
 * Finds the frontmatter leniently. Reports fences that are late, indented, unclosed or missing, and text
 * above the frontmatter.
 */
export function splitFrontmatter(text: string): Split {
  const lines = linesOf(text);
  const first = lines.findIndex((line) => visibleText(line.text) !== '');
  const opening = visibleText(lines[first]?.text ?? '');
  const split = openingFence.test(opening)
    ? fenced(text, lines, first)
    : (unopened(text, lines, first) ?? belowText(text, lines, first));
  return (
    split ?? { head: undefined, headLine: 1, bodyStart: 0, bodyEnd: text.length, bodyLine: 1, issues: [] }
  );
}

const openingFence = /^---(?:[ \t]*([^\s#-]\S*))?(?:[ \t]*#.*)?$/;

/**
 * Splits text whose line `first` is an opening fence. Returns undefined if that line is a horizontal rule.
 */
function fenced(text: string, lines: readonly Line[], first: number): Split | undefined {
  const close = closing(lines, first + 1);
  if (close === undefined) return undefined;
  const issues: Issue[] = [];
  const line = first + 1;
  const opening = lines[first]?.text ?? '';
  const isHidden = !/^[ \t]*-/.test(opening);
  if (first > 0 || isHidden) {
    const what = isHidden ? 'invisible characters' : 'blank lines';
    issues.push(
      repaired('frontmatter.late', line, `There are ${what} before the opening fence.`, 'Remove them.'),
    );
  }
  if (!opening.startsWith('-') && !isHidden) issues.push(indentedFence('opening', line));
  const language = openingFence.exec(visibleText(opening))?.[1];
  const isYaml = language === undefined || /^ya?ml$/i.test(language);
  if (language !== undefined) issues.push(languageOf(language, line));
  issues.push(...close.issues);
  return {
    head: isYaml ? text.slice(startOf(lines, first + 1, text), startOf(lines, close.end, text)) : '',
    headLine: first + 2,
    bodyStart: startOf(lines, close.body, text),
    bodyEnd: text.length,
    bodyLine: close.body + 1,
    issues,
  };
}

function startOf(lines: readonly Line[], index: number, text: string): number {
  return lines[index]?.start ?? text.length;
}

/**
 * Finds frontmatter below a comment, below a title or in a code fence. Below a comment, the frontmatter must
 * have a name or a description. Below a title or in a code fence, it must have both, and it must be closed.
 */
function belowText(text: string, lines: readonly Line[], first: number): Split | undefined {
  const preface = findPreface(lines, first);
  if (preface === undefined) return undefined;
  const from = lines.findIndex(({ text: line }, index) => index >= preface.end && visibleText(line) !== '');
  const isFenced = openingFence.test(visibleText(lines[from]?.text ?? ''));
  const { codeFence } = preface;
  const split = isFenced
    ? fenced(text, lines, from)
    : codeFence === undefined
      ? undefined
      : bare(text, lines, from, codeFence);
  if (split?.head === undefined) return undefined;
  const keys = split.head.split(/\r\n?|\n/).map((line) => fieldKey(line.trimStart())?.toLowerCase());
  const named = ['name', 'description'].filter((key) => keys.includes(key)).length;
  const isSure = named === 2 && !split.issues.some(({ code }) => code === 'frontmatter.unclosed');
  if (preface.hasTitle || codeFence !== undefined ? !isSure : named === 0) return undefined;
  const issues = [
    belowPreface(preface, split.headLine - (isFenced ? 1 : 0)),
    ...split.issues.filter(({ code }) => code !== 'frontmatter.late'),
  ];
  return { ...split, ...(codeFence === undefined ? {} : unfenced(split, text, lines, codeFence)), issues };
}

/** Splits text in which a code fence contains nothing but frontmatter fields. */
function bare(text: string, lines: readonly Line[], from: number, codeFence: string): Split | undefined {
  const end = endOfFields(lines, from);
  const close = lines.findIndex((line, index) => index >= end && line.text.trim() !== '');
  if (lines[close]?.text.trim() !== codeFence) return undefined;
  return {
    head: text.slice(startOf(lines, from, text), startOf(lines, end, text)),
    headLine: from + 1,
    bodyStart: startOf(lines, close, text),
    bodyEnd: text.length,
    bodyLine: close + 1,
    issues: [],
  };
}

/**
 * Excludes a code fence's closing line from the body. It is directly below the frontmatter or ends the file.
 */
function unfenced(
  { bodyLine }: Split,
  text: string,
  lines: readonly Line[],
  codeFence: string,
): Partial<Split> {
  const isClosing = (line: Line | undefined): boolean => line?.text.trim() === codeFence;
  const below = lines.findIndex((line, index) => index >= bodyLine - 1 && line.text.trim() !== '');
  if (isClosing(lines[below])) return { bodyStart: startOf(lines, below + 1, text), bodyLine: below + 2 };
  const last = lines.findLastIndex((line) => line.text.trim() !== '');
  return isClosing(lines[last]) ? { bodyEnd: startOf(lines, last, text) } : {};
}

/** Recognises frontmatter without an opening fence: a name and a description at the very top. */
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
    bodyEnd: text.length,
    bodyLine: body + 1,
    issues: [
      repaired(
        'frontmatter.unopened',
        first + 1,
        'The fields at the top of the file have no opening --- line.',
        'Add a --- line before the first field.',
      ),
    ],
  };
}

/**
 * Returns the lines where the frontmatter ends and the body begins. Returns undefined if the opening fence is
 * only a horizontal rule in the body.
 */
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
    else if (isProse(text)) break; // A fence after prose is only a horizontal rule.
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

/** Returns the index of the line after the last frontmatter field. */
function endOfFields(lines: readonly Line[], from: number): number {
  let end = from;
  let isAfterBlank = false;
  for (let index = from; index < lines.length; index++) {
    const text = lines[index]?.text ?? '';
    if (text.trim() === '') {
      if (end === from && index > from) break; // A `#` line above a blank line is a heading, not a comment.
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

// Matches a quoted key, up to four plain words or the merge key, followed by a colon and then whitespace or
// the end of the line.
const field =
  /^(?:"([^"]+)"|'([^']+)'|([\p{L}_][\p{L}\p{M}\p{N}_.-]*(?: [\p{L}\p{M}\p{N}_.-]+){0,3}|<<)) *:(?=\s|$)/u;

/**
 * Returns the key at the start of a frontmatter line, as written, or undefined if the line does not start a
 * field.
 */
export function fieldKey(line: string): string | undefined {
  const found = field.exec(line);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Whether a line is a plain opening or closing fence. */
function isFence(line: string): boolean {
  return line.startsWith('---') && /^---[ \t]*$/.test(line);
}

/** Whether a line is a merge conflict marker. */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/.test(line);
}
