import { AgentError, splitFrontmatter, splitWords } from '../../core/index.ts';
import { canonicalKey, splitAtCommas, type SubagentSettings } from './settings.ts';

/** A value that a line of the head can hold. */
export type LineValue = string | number | boolean | readonly string[];

/** The lines of a head after one key was set, or removed when there is no value. */
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

/** The lines of a key under any spelling; the one that counts is first. */
function entriesFor(key: keyof SubagentSettings, lines: readonly string[]): readonly Entry[] {
  const entries = entriesOf(lines);
  const names = key === 'skills' ? ['skill', 'skills'] : [key];
  return names.flatMap((name) => entries.filter((entry) => canonicalKey(entry.key) === name));
}

/** The lines without a range; blank lines behind it go too where they would become text of a block value before it. */
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

/** The same key with another value: spelling, spacing, list style, line end and a comment on its line stay. */
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

/** The text behind the colon; a list is a comma list unless it was a flow list or could not be split again. */
function valueText(key: keyof SubagentSettings, value: LineValue, was: string): string {
  if (!isList(value)) return typeof value === 'string' ? scalarText(value) : String(value);
  const joined = value.join(', ');
  const again = key === 'tools' || key === 'excludeTools' ? splitWords(joined) : splitAtCommas(joined);
  const isSame = again.length === value.length && again.every((item, index) => item === value[index]);
  return value.length === 0 || was.startsWith('[') || !isSame ? flowListText(value) : scalarText(joined);
}

function isList(value: LineValue): value is readonly string[] {
  return Array.isArray(value);
}

/** A text cut into the lines of its head and what stands around them; joined again they are the text. */
interface HeadLines {
  readonly before: string;
  /** Each with its line end. */
  readonly lines: readonly string[];
  readonly after: string;
  readonly lineEnd: string;
}

/** The lines that one key of the head takes up. */
interface Entry {
  readonly key: string;
  readonly from: number;
  /** Exclusive; blank lines and comments behind the value are not part of it. */
  readonly to: number;
}

/** Finds the head as the reader does; a text without one gets an empty head. */
export function headLinesOf(text: string): HeadLines {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const plain = text.slice(mark.length);
  const lineEnd = /\r?\n/.exec(plain)?.[0] ?? '\n';
  const split = splitFrontmatter(plain);
  if (split.issues.some((issue) => issue.level === 'error')) {
    throw new AgentError('skill.invalid', 'The frontmatter is not YAML, so it cannot be edited.', {
      hint: 'Write a plain --- line as its first line.',
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

/** The top-level keys of a head and the lines they own, in order. */
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

/** The blanks before the top-level keys of a head. */
function indentOf(lines: readonly string[]): string {
  const first = lines.find((line) => /^\s*[^\s#]/.test(line));
  return /^[ \t]*/.exec(first ?? '')?.[0] ?? '';
}

/** Comments that stand deeper than the keys may be text of a block value, so they stay with it. */
function isBlankOrComment(line: string, indent: string): boolean {
  return line.trim() === '' || line.startsWith('#') || line.startsWith(`${indent}#`);
}

/** A text as a YAML scalar on one line: plain where that is safe, else in double quotes. */
function scalarText(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

/** Texts as a YAML flow list. */
function flowListText(items: readonly string[]): string {
  return `[${items.map(itemText).join(', ')}]`;
}

/** A text as an entry of a YAML list of either style. */
function itemText(item: string): string {
  return isPlain(item) && !/[,[\]{}]/.test(item) ? item : quoted(item);
}

function isPlain(text: string): boolean {
  if (!/^[\p{L}\p{N}_./(][\p{L}\p{M}\p{N} _.,/()[\]{}*+=@%$&;!?'"<>|~^`#:-]*$/u.test(text)) return false;
  if (/^(?:null|true|false|yes|no|on|off)$/i.test(text)) return false;
  return !text.endsWith(' ') && !text.endsWith(':') && !text.includes(': ') && !text.includes(' #');
}

/** JSON's escapes are YAML's; what YAML forbids unescaped is escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
