import type { Issue } from '../issue.ts';
import type { Skipped } from './yaml.ts';

/** The frontmatter and body of a descriptor, and the assumptions made to separate them. */
interface Split {
  /** The frontmatter's text, or undefined if the file has none. */
  readonly head: string | undefined;
  /** The one-based number of the frontmatter's first line. */
  readonly headLine: number;
  readonly bodyStart: number;
  /** The one-based line number where the body starts. */
  readonly bodyLine: number;
  readonly issues: readonly Issue[];
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Finds the frontmatter's fences leniently. Late, indented, unclosed and missing fences are reported. */
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
      repaired('frontmatter.late', line, 'There are blank lines before the opening fence.', 'Remove them.'),
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
 * only a horizontal rule in a body.
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

function languageOf(language: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.language',
    message: `The opening fence says "${language}", but frontmatter is YAML data and is never executed.`,
    line,
    hint: 'Use a plain --- line.',
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

// A quoted key, or up to four plain words, before a colon followed by white space or the end of the line.
const field =
  /^(?:"([^"]+)"|'([^']+)'|([\p{L}_][\p{L}\p{M}\p{N}_.-]*(?: [\p{L}\p{M}\p{N}_.-]+){0,3})) *:(?=\s|$)/u;

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

/** Creates the issue for a file that exceeds a limit. None of the file's content is used. */
export function tooLarge(reason: string, line: number): Issue {
  return {
    level: 'error',
    code: 'frontmatter.limit',
    message: `The frontmatter is rejected: ${reason}.`,
    line,
    hint: 'Shorten the frontmatter, or raise its limit under "limits" in the settings.',
  };
}

/** Creates the issue for a repeated key. */
export function repeatedKey(key: string, line: number): Issue {
  return repaired(
    'frontmatter.repeated',
    line,
    `"${key}" is given more than once; the first value is used.`,
    'Keep only one line with this key.',
  );
}

/**
 * Creates the issue for valid YAML that is not allowed in frontmatter. `firstLine` is the line where the
 * frontmatter's YAML begins.
 */
export function skippedPart(skipped: Skipped, firstLine: number): Issue {
  const line = firstLine + skipped.line - 1;
  if (skipped.what === 'repeated') return repeatedKey(skipped.key, line);
  const name = skipped.what === 'unsafe' ? `"${skipped.key}"` : skipped.key;
  return {
    level: 'warning',
    code: 'frontmatter.dropped',
    message: `The frontmatter contains ${name}, which is ignored.`,
    line,
    standard: true,
  };
}

/** Creates the issue for something that the open standard rejects and that was repaired. */
export function repaired(code: Issue['code'], line: number, message: string, hint: string): Issue {
  return { level: 'warning', code, message, line, hint, standard: true };
}
