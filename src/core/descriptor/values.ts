import type { Issue } from '../issue.ts';
import { normaliseKey } from '../names.ts';
import type { Bundle } from './bundle.ts';
import { cardFields } from './card.ts';
import { blankList, unknownFields } from './fields.ts';
import { firstFence, listItems } from './markdown.ts';
import type { Headed } from './read-descriptor.ts';
import type { SectionNames } from './sections.ts';

/** What a limit in a descriptor may be. */
interface LimitBounds {
  /** As it is written, such as `timeout`. */
  readonly key: string;
  /** What is counted, such as `seconds`. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** The limit that a descriptor gives; what is no whole number within the bounds is a finding, and counts as absent. */
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
    message: `"${key}" is not a whole number of ${unit} from ${least} to ${most}; the usual one is used.`,
    line: given.line,
    hint: `Write the number alone, without a unit, as in ${key}: ${Math.min(most, Math.max(least, 30))}.`,
  });
  return undefined;
}

/** The plan that a script section holds: its text when that starts with a step, comments aside, else its first fence, else the text. */
export function scriptIn(given: GivenText | undefined, issues: Issue[]): GivenText | undefined {
  if (given === undefined) return undefined;
  const fence = startsWithStep(given.text) ? undefined : firstFence(given.text);
  const script =
    fence === undefined ? given : { text: fence.content.trimEnd(), line: given.line + fence.line };
  if (script.text.trim() !== '') return script;
  issues.push({
    level: 'warning',
    code: 'script.empty',
    message: 'The script is empty and counts as absent.',
    line: given.line,
    hint: 'Write a plan in it, or remove the section.',
  });
  return undefined;
}

function startsWithStep(text: string): boolean {
  const isComment = (line: string): boolean => line === '' || line.startsWith('#');
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  return lines.find((line) => !isComment(line))?.startsWith('@') === true;
}

/** Text that a descriptor gives for a key; empty text is present, not absent. */
export interface GivenText {
  readonly text: string;
  /** One-based line on which the text begins. */
  readonly line: number;
}

/** What a headed descriptor says under its keys: the field of the head first, then the section of that name. */
export interface Values<Key extends string> {
  given(key: Key): GivenText | undefined;
  text(key: Key): string | undefined;
  /** The items in order, each once. */
  list(key: Key): readonly string[] | undefined;
  /** One-based line of the field or heading; 1 when there is none. */
  lineOf(key: Key): number;
}

/** Reads keys that may stand in the head or as sections; reports sections that lose, and fields nobody knows. */
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
    const message = `This section is not read: the frontmatter gives "${field}".`;
    issues.push({
      level: 'warning',
      code: 'section.overridden',
      message,
      line: section.line,
      hint: 'Keep one of them.',
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
  return {
    given,
    lineOf: (key) => bundle.head.lineOf(fieldOf(key) ?? '') ?? sections.get(key)?.line ?? 1,
    text: (key) => given(key)?.text,
    list(key) {
      const field = fieldOf(key);
      if (field !== undefined) return unique(fields.list(field) ?? []); // a list that cannot be read allows nothing
      issues.push(...spellings(key).flatMap((name) => blankList(bundle.head, name)));
      const section = sections.get(key);
      return section === undefined ? undefined : unique(listItems(section.text));
    },
  };
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
