import { AgentError, splitFrontmatter, splitList } from '../../core/index.ts';
import { canonicalKey, splitAtCommas, type SubagentSettings } from './settings.ts';

/** A value that can be written on one line of the frontmatter. */
export type LineValue = string | number | boolean | readonly string[];

/** Returns the frontmatter lines with a key set to a value. If the value is undefined, removes the key. */
export function withKey(
  lines: readonly string[],
  key: keyof SubagentSettings,
  value: LineValue | undefined,
  lineEnd: string,
): readonly string[] {
  const entries = entriesFor(key, lines);
  const entry = entries[0];
  if (value === undefined) {
    const lastFirst = entries.toSorted((a, b) => b.from - a.from);
    return lastFirst.reduce((done, { from, to }) => cut(done, from, to), lines);
  }
  if (entry === undefined) return appended(lines, `${key}: ${valueText(key, value, '')}`, lineEnd);
  const old = lines.slice(entry.from, entry.to);
  return [...lines.slice(0, entry.from), ...rewritten(old, key, value, lineEnd), ...lines.slice(entry.to)];
}

/** Returns the entries for a key in any spelling. The entry that takes effect comes first. */
function entriesFor(key: keyof SubagentSettings, lines: readonly string[]): readonly Entry[] {
  const entries = entriesOf(lines);
  const names = key === 'skills' ? ['skill', 'skills'] : [key];
  return names.flatMap((name) => entries.filter((entry) => canonicalKey(entry.key) === name));
}

/**
 * Removes a range of lines. Also removes the blank lines after the range if they would become part of the
 * block value before it.
 */
function cut(lines: readonly string[], from: number, to: number): readonly string[] {
  const before = lines.slice(0, from);
  const isBlockText = /^\s/.test(before.findLast((line) => line.trim() !== '') ?? '');
  let end = to;
  while (isBlockText && lines[end]?.trim() === '') end++;
  return [...before, ...lines.slice(end)];
}

function appended(lines: readonly string[], line: string, lineEnd: string): readonly string[] {
  const last = lines.at(-1);
  const added = indentOf(lines) + line;
  if (last === undefined || last.endsWith('\n')) return [...lines, added + lineEnd];
  return [...lines.slice(0, -1), last + lineEnd, added];
}

/** Rewrites a key's value. Keeps the key's spelling, spacing, list style, line ending and comment. */
function rewritten(
  old: readonly string[],
  key: keyof SubagentSettings,
  value: LineValue,
  lineEnd: string,
): readonly string[] {
  const [first = '', ...rest] = old;
  const end = /\r?\n$/.exec(old.at(-1) ?? '')?.[0] ?? '';
  const bullet = rest.map((line) => /^\s*- +/.exec(line)?.[0]).find((found) => found !== undefined);
  if (bullet !== undefined && isList(value) && value.length > 0) {
    const items = value.map((item) => bullet + itemText(item)).join(lineEnd) + end;
    return [first, ...items.split(/(?<=\n)/)];
  }
  const [, start = '', space = '', was = ''] = /^(.*?:)(?=\s|$)([ \t]*)(.*)/.exec(first) ?? [];
  const comment = rest.length === 0 ? commentBehind(was) : '';
  return [`${start}${space || ' '}${valueText(key, value, was)}${comment}${end}`];
}

function commentBehind(value: string): string {
  const scalar = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[[^\]]*\]|[^"'[|>#\s](?:\S|\s+(?![\s#]))*)(\s+#.*)$/;
  return scalar.exec(value.trimEnd())?.[1] ?? '';
}

/**
 * Formats a value for its line. A list becomes comma-separated text, or a flow list in brackets if it is
 * empty, was in brackets before, or would be split differently when the text is read.
 */
function valueText(key: keyof SubagentSettings, value: LineValue, was: string): string {
  if (!isList(value)) return typeof value === 'string' ? scalarText(value) : String(value);
  const joined = value.join(', ');
  const again = key === 'tools' || key === 'excludeTools' ? splitList(joined) : splitAtCommas(joined);
  const isSame = again.length === value.length && again.every((item, index) => item === value[index]);
  return value.length === 0 || was.startsWith('[') || !isSame ? flowListText(value) : scalarText(joined);
}

function isList(value: LineValue): value is readonly string[] {
  return Array.isArray(value);
}

/** A file split into its frontmatter lines and the text before and after them. No character is lost. */
interface HeadLines {
  readonly before: string;
  /** The frontmatter lines, each with its line ending. */
  readonly lines: readonly string[];
  readonly after: string;
  readonly lineEnd: string;
}

/** The frontmatter lines of one key. */
interface Entry {
  readonly key: string;
  readonly from: number;
  /** The exclusive end of the entry. Blank lines and comments after the value are not included. */
  readonly to: number;
}

/**
 * Finds the frontmatter as the parser does. Adds empty frontmatter to text without any. Throws
 * `skill.invalid` if the frontmatter is not valid YAML.
 */
export function headLinesOf(text: string): HeadLines {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const plain = text.slice(mark.length);
  const lineEnd = /\r?\n/.exec(plain)?.[0] ?? '\n';
  const split = splitFrontmatter(plain);
  if (split.issues.some((issue) => issue.level === 'error')) {
    throw new AgentError('skill.invalid', 'The frontmatter is not valid YAML, so it cannot be edited.', {
      hint: 'Start the file with a plain --- line.',
    });
  }
  if (split.head === undefined) {
    return { before: `${mark}---${lineEnd}`, lines: [], after: `---${lineEnd}${plain}`, lineEnd };
  }
  const all = plain.split(/(?<=\n)/);
  const from = split.headLine - 1;
  const to = from + (split.head === '' ? 0 : split.head.replace(/\n$/, '').split('\n').length);
  return {
    before: mark + all.slice(0, from).join(''),
    lines: all.slice(from, to),
    after: all.slice(to).join(''),
    lineEnd,
  };
}

const keyAtStart = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|((?!-\s)[^\s#"'].*?)):(?=\s|$)/;

/** Returns the frontmatter's top-level keys with their lines, in order. */
function entriesOf(lines: readonly string[]): readonly Entry[] {
  const indent = indentOf(lines);
  const starts: { readonly key: string; readonly from: number }[] = [];
  for (const [from, line] of lines.entries()) {
    const found = line.startsWith(indent) ? keyAtStart.exec(line.slice(indent.length)) : null;
    if (found !== null) starts.push({ key: (found[1] ?? found[2] ?? found[3] ?? '').trim(), from });
  }
  return starts.map(({ key, from }, index) => {
    let to = starts[index + 1]?.from ?? lines.length;
    while (to > from + 1 && isBlankOrComment(lines[to - 1] ?? '', indent)) to--;
    return { key, from, to };
  });
}

/** Returns the indentation of the top-level keys. */
function indentOf(lines: readonly string[]): string {
  const first = lines.find((line) => /^\s*[^\s#]/.test(line));
  return /^[ \t]*/.exec(first ?? '')?.[0] ?? '';
}

/**
 * Whether a line is blank or a comment. Comments indented more deeply than the keys are excluded, because
 * they can be part of a block value.
 */
function isBlankOrComment(line: string, indent: string): boolean {
  return line.trim() === '' || line.startsWith('#') || line.startsWith(`${indent}#`);
}

/** Converts text to a YAML scalar on one line: plain if that is safe, otherwise in double quotes. */
function scalarText(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

/** Converts the items to a YAML flow list. */
function flowListText(items: readonly string[]): string {
  return `[${items.map(itemText).join(', ')}]`;
}

/** Converts text to an item that is valid in either style of YAML list. */
function itemText(item: string): string {
  return isPlain(item) && !/[,[\]{}]/.test(item) ? item : quoted(item);
}

function isPlain(text: string): boolean {
  if (!/^[\p{L}\p{N}_./(][\p{L}\p{M}\p{N} _.,/()[\]{}*+=@%$&;!?'"<>|~^`#:-]*$/u.test(text)) return false;
  if (/^(?:null|true|false|yes|no|on|off)$/i.test(text)) return false;
  return !text.endsWith(' ') && !text.endsWith(':') && !text.includes(': ') && !text.includes(' #');
}

/**
 * Quotes text for YAML with JSON escapes, which YAML accepts. Also escapes the characters that YAML does not
 * allow unescaped.
 */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
