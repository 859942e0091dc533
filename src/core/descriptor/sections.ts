import type { Bundle } from './bundle.ts';
import type { Issue } from '../issue.ts';
import { outline, trimBlankLines, type Heading } from './markdown.ts';
import { didYouMean, normaliseKey } from '../names.ts';

/** A section of a descriptor. A section can be present but have no text. */
export interface Section {
  readonly key: string;
  readonly text: string;
  /** The one-based line number of the section's heading. */
  readonly line: number;
  /** The one-based line number where the text begins. */
  readonly textLine: number;
  /** The line number of each line of the text. Set only if the text comes from several places in the file. */
  readonly lines?: readonly number[];
  /** The subheadings in the section, in order. */
  readonly inner: readonly Heading[];
}

/** Returns the one-based line number in the file for a line of a section's text. Pure. */
export function lineIn(section: Section, index: number): number {
  return section.lines?.[index] ?? section.textLine + index;
}

/** A descriptor's sections, by the keys that its family defines. */
export interface Sections<Key extends string> {
  /** The text of the first level-one heading. Empty if there is none. */
  readonly title: string;
  readonly titleLine: number;
  /** The text before the first section. */
  readonly preamble: string;
  get(key: Key): Section | undefined;
  readonly issues: readonly Issue[];
}

/** Canonical section keys with their alternative headings. */
export type SectionNames<Key extends string> = Readonly<Record<Key, readonly string[]>>;

/**
 * Reads the sections of a descriptor's body. Headings are compared case-insensitively, by letters and digits
 * only.
 */
export function readSections<Key extends string>(bundle: Bundle, names: SectionNames<Key>): Sections<Key> {
  const { preamble, headings } = outline(bundle.body, bundle.head.bodyLine);
  const canonical = new Map<string, Key>();
  for (const key of Object.keys(names) as Key[]) {
    for (const name of [key, ...names[key]]) canonical.set(headingKey(name), key);
  }
  const first = headings[0];
  const title = first !== undefined && isTitle(first, headings.slice(1), canonical) ? first : undefined;
  const unknown: Heading[] = [];
  const repeated: { readonly heading: Heading; readonly line: number }[] = [];
  const found = new Map<Key, Part[]>();
  for (const part of partsOf(bundle, title === undefined ? headings : headings.slice(1))) {
    const { heading } = part;
    const key = canonical.get(headingKey(heading.title));
    const earlier = key === undefined ? undefined : found.get(key);
    if (key === undefined) unknown.push(heading);
    else if (earlier === undefined) found.set(key, [part]);
    else {
      earlier.push(part);
      repeated.push({ heading, line: earlier[0]?.heading.line ?? heading.line });
    }
  }
  return {
    title: title?.title ?? '',
    titleLine: title?.line ?? 1,
    preamble: [preamble, title?.text ?? ''].filter(Boolean).join('\n\n'),
    get(key) {
      const parts = found.get(key);
      return parts === undefined ? undefined : sectionOf(key, parts);
    },
    issues: [
      ...some(unknown, (heading) => unknownSection(heading, canonical.keys())),
      ...some(repeated, repeatedSection),
    ],
  };
}

/** A section with its heading, its subheadings and its unprocessed text. */
interface Part {
  readonly heading: Heading;
  readonly inner: Heading[];
  readonly text: string;
}

/**
 * Splits the body into sections. Headings of levels one and two always open a section. If there are none, the
 * headings of the highest level in the body do.
 */
function partsOf(bundle: Bundle, headings: readonly Heading[]): readonly Part[] {
  const depth = Math.max(
    2,
    headings.reduce((least, heading) => Math.min(least, heading.level), 6),
  );
  const lines = bundle.body.split('\n');
  const offset = bundle.head.bodyLine;
  const groups: { readonly heading: Heading; readonly inner: Heading[] }[] = [];
  for (const heading of headings) {
    const group = groups.at(-1);
    if (group === undefined || heading.level <= depth) groups.push({ heading, inner: [] });
    else group.inner.push(heading);
  }
  return groups.map(({ heading, inner }, index) => {
    const stop = groups[index + 1]?.heading.line ?? offset + lines.length;
    return { heading, inner, text: trimBlankLines(lines.slice(heading.textLine - offset, stop - offset)) };
  });
}

function sectionOf(key: string, parts: readonly Part[]): Section | undefined {
  const heading = parts[0]?.heading;
  if (heading === undefined) return undefined;
  const written = parts.filter((part) => part.text !== '');
  return {
    key,
    text: written.map((part) => part.text).join('\n\n'),
    line: heading.line,
    textLine: heading.textLine,
    ...(parts.length > 1 ? { lines: written.flatMap(linesOf) } : {}),
    inner: parts.flatMap((part) => part.inner),
  };
}

/** Returns the line number in the file for each line of a section's text, and for the blank line after it. */
function linesOf({ heading, text }: Part): readonly number[] {
  return Array.from({ length: text.split('\n').length + 1 }, (_, index) => heading.textLine + index);
}

/**
 * Whether the first heading is a title: a level-one heading at the top that is not a section. If it has a
 * section's name, it is a title only if it has no text and is the only level-one heading.
 */
function isTitle(first: Heading, rest: readonly Heading[], sections: ReadonlyMap<string, unknown>): boolean {
  if (first.level !== 1) return false;
  const alone = first.text === '' && rest.length > 0 && rest.every((heading) => heading.level > 1);
  return alone || !sections.has(headingKey(first.title));
}

/** Normalises a heading for comparisons. Ignores symbols such as emoji. */
function headingKey(title: string): string {
  return normaliseKey(title.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '));
}

const maxIssues = 50;

/**
 * Creates an issue for each of the first few items and a single issue for the rest, so that a file with many
 * headings does not flood a listing.
 */
function some<Item>(items: readonly Item[], issueFor: (item: Item) => Issue): readonly Issue[] {
  const found = items.slice(0, maxIssues).map(issueFor);
  const last = found.at(-1);
  if (last === undefined || items.length === found.length) return found;
  const { level, code, line = 1 } = last;
  return [
    ...found,
    {
      level,
      code,
      message: `The same applies to ${items.length - found.length} more sections.`,
      line,
      standard: true,
    },
  ];
}

function unknownSection(heading: Heading, known: Iterable<string>): Issue {
  const hint = didYouMean(headingKey(heading.title), known);
  return {
    level: 'warning',
    code: 'section.unknown',
    message: `Unknown section "${heading.title}"; it is ignored.`,
    line: heading.line,
    ...(hint === undefined ? {} : { hint }),
    standard: true,
  };
}

function repeatedSection(again: { readonly heading: Heading; readonly line: number }): Issue {
  return {
    level: 'warning',
    code: 'section.repeated',
    message: `The section "${again.heading.title}" is repeated; its text is added to the one on line ${again.line}.`,
    line: again.heading.line,
    standard: true,
  };
}
