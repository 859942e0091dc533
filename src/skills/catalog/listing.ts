import { withoutHidden } from '../../core/index.ts';
import { compareText } from '../registry/collisions.ts';
import type { CatalogEntry } from './entries.ts';

/** The entries of a catalog that can be shown, in display order. */
export interface Candidates {
  readonly entries: readonly CatalogEntry[];
  /**
   * Returns the XML element for the entry with this index. Builds the element on first use, because most
   * entries are never shown.
   */
  part(index: number): ListedSkill;
}

/** Sorts entries by name in code unit order, and then by their other fields. */
export function candidatesOf(entries: readonly CatalogEntry[]): Candidates {
  const sorted = entries
    .map((entry) => ({ entry, name: shownName(entry.name) }))
    .sort((a, b) => compareText(a.name, b.name) || compareEntries(a.entry, b.entry))
    .map(({ entry }) => entry);
  const parts: (ListedSkill | undefined)[] = [];
  return {
    entries: sorted,
    part(index) {
      const entry = sorted[index];
      if (entry === undefined) throw new RangeError(`Invalid entry index ${index}.`);
      return (parts[index] ??= partOf(entry));
    },
  };
}

function compareEntries(a: CatalogEntry, b: CatalogEntry): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.location, b.location) ||
    compareText(a.description, b.description) ||
    compareText(a.whenToUse ?? '', b.whenToUse ?? '') ||
    Number(b.pinned === true) - Number(a.pinned === true)
  );
}

/** The XML element for a skill. The description is separate, so that it can be shortened. */
export interface ListedSkill {
  readonly head: string;
  /** The complete description, escaped for XML. */
  readonly description: string;
  readonly tail: string;
}

/** Builds the XML element for a skill. `textOf` converts it to text for a listing. */
export function partOf(entry: CatalogEntry): ListedSkill {
  return {
    head: `  <skill>\n    <name>${escapeXml(shownName(entry.name))}</name>\n`,
    description: escapeXml(shownDescription(entry)),
    tail: `    <location>${escapeXml(shownName(entry.location))}</location>\n  </skill>\n`,
  };
}

/**
 * Returns an element as text, with at most `cap` UTF-16 code units of its description. Omits an empty
 * description.
 */
export function textOf({ head, description, tail }: ListedSkill, cap = Infinity): string {
  const line = description === '' ? '' : `    <description>${cutEscaped(description, cap)}</description>\n`;
  return head + line + tail;
}

/** Whether a description is longer than `cap` UTF-16 code units. */
export function isShortened({ description }: ListedSkill, cap: number): boolean {
  return description.length > cap;
}

/** Returns the complete listing, with its opening and closing tags. */
export function listingOf(elements: readonly string[]): string {
  return `${opening}${elements.join('')}${closing}`;
}

/** The tag before the first skill. */
export const opening = '<available_skills>\n';

/** The tag after the last skill. */
export const closing = '</available_skills>';

const breaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** Formats a name or path for models: on one line, with spaces preserved and hidden characters removed. */
export function shownName(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return withoutHidden(text.replace(breaks, ' '));
}

/**
 * Returns a skill's description and its `when-to-use` text for models: on one line and without hidden
 * characters.
 */
export function shownDescription(card: {
  readonly description?: string | undefined;
  readonly whenToUse?: string | undefined;
}): string {
  const { description = '', whenToUse = '' } = card;
  const text = whenToUse === '' ? description : `${description} ${whenToUse}`;
  return withoutHidden(text.replace(breaks, ' ')).replace(/\s+/g, ' ').trim();
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes the five characters that are special in XML. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

// The segmenter is created on first use, because that takes as long as starting a command.
let graphemes: Intl.Segmenter | undefined;
/** The maximum number of additional UTF-16 code units to remove to avoid splitting a word. */
const nearestWord = 16;
/** The number of UTF-16 code units to examine on each side of a cut, so that no character is split. */
const neighbourhood = 64;

/**
 * Shortens escaped text to at most `most` UTF-16 code units, ending in `…`. `most` is at least 2. Never
 * splits a character or an entity. Does not split a word if there is a space nearby.
 */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(' ', most - 1);
  const end = space > 0 && space >= most - 1 - nearestWord ? space : wholeBefore(text, most - 1);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Returns the last position up to `end` at which neither a character nor an entity is split. */
function wholeBefore(text: string, end: number): number {
  const position = isPlainAt(text, end) ? end : characterStart(text, end);
  const entity = text.lastIndexOf('&', position - 1);
  return entity >= 0 && text.indexOf(';', entity) >= position ? entity : position;
}

function isPlainAt(text: string, position: number): boolean {
  return text.charCodeAt(position - 1) < 0x80 && text.charCodeAt(position) < 0x80;
}

function characterStart(text: string, position: number): number {
  const from = Math.max(0, position - neighbourhood);
  graphemes ??= new Intl.Segmenter('und');
  const around = graphemes.segment(text.slice(from, position + neighbourhood));
  const start = from + (around.containing(position - from)?.index ?? position - from);
  // If the character may start before the range that was searched, keep only surrogate pairs together.
  const isSplit = start === from && from > 0;
  return isSplit ? position - Number(isLowSurrogate(text, position)) : start;
}

function isLowSurrogate(text: string, position: number): boolean {
  return (text.charCodeAt(position) & 0xfc00) === 0xdc00;
}
