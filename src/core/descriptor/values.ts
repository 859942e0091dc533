import type { Issue } from '../issue.ts';
import { normaliseKey } from '../names.ts';
import type { Bundle } from './bundle.ts';
import { cardFields } from './card.ts';
import { checkEmptyList, unknownFields } from './fields.ts';
import { firstFence, listItems } from './markdown.ts';
import type { Headed } from './read-descriptor.ts';
import type { SectionNames } from './sections.ts';

/** The bounds of a limit in a descriptor. */
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
 * counts as absent.
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
 * Finds the plan in a script section: the entire text if its first line other than comments is a step, or
 * else the first code fence, or else the entire text.
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

/** The text that a descriptor contains for a key. Empty text counts as present. */
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
  /** Returns the one-based line number of the field or heading, or 1 if there is none. */
  lineOf(key: Key): number;
}

/** Reads keys that can be fields or sections. Reports overridden sections and unknown fields. */
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
  return {
    given,
    lineOf: (key) => bundle.head.lineOf(fieldOf(key) ?? '') ?? sections.get(key)?.line ?? 1,
    text: (key) => given(key)?.text,
    list(key) {
      const field = fieldOf(key);
      if (field !== undefined) return unique(fields.list(field) ?? []); // An unreadable list counts as empty.
      issues.push(...spellings(key).flatMap((name) => checkEmptyList(bundle.head, name)));
      const section = sections.get(key);
      return section === undefined ? undefined : unique(listItems(section.text));
    },
  };
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
