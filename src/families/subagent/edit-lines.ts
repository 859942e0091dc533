import { splitWords } from '../../core/descriptor/fields.ts';
import type { SubagentSettings } from './definition.ts';
import { entriesOf, indentOf, type Entry } from './head-lines.ts';
import { splitAtCommas } from './settings.ts';
import { canonicalKey } from './spelling.ts';
import { flowListText, itemText, scalarText } from './yaml-text.ts';

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
