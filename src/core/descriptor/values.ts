import type { Issue } from '../issue.ts';
import { normaliseKey, type ListEntry } from '../names.ts';
import { toLf } from '../text.ts';
import type { Bundle } from './bundle.ts';
import { cardFields } from './card.ts';
import { emptyListIssue, unknownFields } from './fields.ts';
import { firstFence, listItem } from './markdown.ts';
import type { Headed } from './read-descriptor.ts';
import { lineIn, type SectionNames } from './sections.ts';

/** The minimum and maximum of a limit in a descriptor. */
interface LimitBounds {
  /** The key as written, such as `timeout`. */
  readonly key: string;
  /** The unit of the value, such as `seconds`. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/**
 * Reads a limit from a descriptor. A value that is not a whole number within the bounds is reported and
 * treated as absent.
 */
export function limitIn(
  given: GivenText | undefined,
  { key, unit, least, most }: LimitBounds,
  issues: Issue[],
): number | undefined {
  if (given === undefined) return undefined;
  const written = given.text.trim();
  const amount = /^\d{1,9}$/.test(written) ? Number(written) : NaN;
  if (amount >= least && amount <= most) return amount;
  issues.push({
    level: 'warning',
    code: 'field.range',
    message: `"${key}" must be a whole number of ${unit} from ${least} to ${most}; the default is used.`,
    line: given.line,
    hint: `Write only the number, without a unit, such as ${key}: ${Math.min(most, Math.max(least, 30))}.`,
  });
  return undefined;
}

/**
 * Finds the plan in a script section. If the first line that is not a comment is a step, the plan is the
 * entire text. Otherwise, the plan is the first code fence, or the entire text if there is no fence.
 */
export function scriptIn(given: GivenText | undefined, issues: Issue[]): GivenText | undefined {
  if (given === undefined) return undefined;
  const fence = startsWithStep(given.text) ? undefined : firstFence(given.text);
  const script =
    fence === undefined ? given : { text: fence.content.trimEnd(), line: given.line + fence.line };
  if (script.text.trim() !== '') return script;
  issues.push({
    level: 'warning',
    code: 'script.empty',
    message: 'The script is empty, so it is ignored.',
    line: given.line,
    hint: 'Add a plan, or remove the section.',
  });
  return undefined;
}

function startsWithStep(text: string): boolean {
  const isComment = (line: string): boolean => line === '' || line.startsWith('#');
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  return lines.find((line) => !isComment(line))?.startsWith('@') === true;
}

/** The text that a descriptor contains under a key. The text may be empty. */
export interface GivenText {
  readonly text: string;
  /** The one-based line number where the text begins. */
  readonly line: number;
}

/**
 * The values in a descriptor with headings, by key. A value comes from the frontmatter field, or else from
 * the section with the same name.
 */
export interface Values<Key extends string> {
  given(key: Key): GivenText | undefined;
  text(key: Key): string | undefined;
  /** Returns a list's items in order, without duplicates. */
  list(key: Key): readonly string[] | undefined;
  /** Returns a list's items in order, without duplicates, each with its line. */
  entries(key: Key): readonly ListEntry[] | undefined;
  /** Returns the one-based line number of the field or heading, or 1 if there is none. */
  lineOf(key: Key): number;
}

/**
 * Reads values that can be frontmatter fields or sections. Reports overridden sections and unknown fields.
 */
export function valuesOf<All extends string, Key extends All>(
  bundle: Bundle,
  headed: Headed<All>,
  names: SectionNames<Key>,
): Values<Key> {
  const { fields, sections, issues } = headed;
  const spellings = (key: Key): readonly string[] => [key, ...names[key]].map(normaliseKey);
  const fieldOf = (key: Key): string | undefined => spellings(key).find((name) => fields.has(name));
  const keys = Object.keys(names) as Key[];
  issues.push(...unknownFields(bundle.head, [...cardFields, ...keys.flatMap(spellings)]));
  for (const key of keys) {
    const field = fieldOf(key);
    const section = sections.get(key);
    if (field === undefined || section === undefined) continue;
    const message = `This section is ignored, because the frontmatter has "${field}".`;
    issues.push({
      level: 'warning',
      code: 'section.overridden',
      message,
      line: section.line,
      hint: 'Keep either the section or the field.',
    });
  }
  const given = (key: Key): GivenText | undefined => {
    const field = fieldOf(key);
    const text = field === undefined ? undefined : fields.text(field);
    if (field !== undefined && text !== undefined)
      return { text: text.trim(), line: (bundle.head.lineOf(field) ?? 1) + (text.includes('\n') ? 1 : 0) };
    const section = sections.get(key);
    return section === undefined
      ? undefined
      : { text: section.text, line: section.text === '' ? section.line : section.textLine };
  };
  const entries = (key: Key): readonly ListEntry[] | undefined => {
    const field = fieldOf(key) ?? spellings(key).find(bundle.head.isBlank);
    // An unreadable list is treated as empty.
    if (field !== undefined) return unique(fieldEntries(bundle, field, fields.allowList(field) ?? []));
    const section = sections.get(key);
    if (section === undefined) return undefined;
    if (section.text === '') issues.push(emptyListIssue(`"${key}"`, section.line));
    const items = section.text.split('\n').map((line, index): ListEntry => {
      return { text: listItem(line), line: lineIn(section, index) };
    });
    return unique(items.filter(({ text }) => text !== ''));
  };
  return {
    given,
    lineOf: (key) => bundle.head.lineOf(fieldOf(key) ?? '') ?? sections.get(key)?.line ?? 1,
    text: (key) => given(key)?.text,
    list: (key) => entries(key)?.map(({ text }) => text),
    entries,
  };
}

function unique(entries: readonly ListEntry[]): readonly ListEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** Returns the items of a frontmatter field, each with its one-based line number. Pure. */
export function fieldEntries(
  { head, text }: Pick<Bundle, 'head' | 'text'>,
  field: string,
  items: readonly string[],
): readonly ListEntry[] {
  const first = head.lineOf(field) ?? 1;
  const next = head.keys.map((key) => head.lineOf(key) ?? 1).filter((line) => line > first);
  const lines = toLf(text)
    .split('\n')
    .slice(first - 1, Math.min(head.bodyLine, ...next) - 1)
    .map((line) => line.replace(/(?:^|\s)#.*/, ''));
  lines[0] = lines[0]?.slice(lines[0].indexOf(':') + 1) ?? '';
  // Items are in the order of the text, so the search for an item starts after the previous one.
  let from: TextPosition = { line: 0, column: 0 };
  let misses = 0;
  return items.map((item) => {
    const found = misses < maxMisses ? findItem(lines, item, from) : undefined;
    if (found === undefined) misses++;
    else from = { line: found.line, column: found.column + item.length };
    return { text: item, line: first + (found?.line ?? 0) };
  });
}

const maxMisses = 20; // The maximum number of items to search in vain. Each search reads the whole field.

interface TextPosition {
  readonly line: number;
  readonly column: number;
}

function findItem(lines: readonly string[], item: string, from: TextPosition): TextPosition | undefined {
  for (let line = from.line; line < lines.length; line++) {
    const column = columnOf(lines[line] ?? '', item, line === from.line ? from.column : 0);
    if (column >= 0) return { line, column };
  }
  return undefined;
}

/** Returns the offset of an item that is not part of a longer word, or -1. */
function columnOf(line: string, item: string, from: number): number {
  const isPart = (character: string | undefined): boolean => /[\p{L}\p{N}_:/.-]/u.test(character ?? '');
  for (let at = line.indexOf(item, from); at >= 0; at = line.indexOf(item, at + 1))
    if (!isPart(line[at - 1]) && !isPart(line[at + item.length])) return at;
  return -1;
}
