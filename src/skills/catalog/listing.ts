import { withoutHidden } from '../../core/index.ts';
import { compareText } from '../registry/collisions.ts';
import type { CatalogEntry } from './entries.ts';

/** The candidates for a catalog, in display order. */
export interface Candidates {
  readonly entries: readonly CatalogEntry[];
  /**
   * Returns the element for the entry with the given index. Elements are built on first use, because most are
   * never shown.
   */
  part(index: number): ListedSkill;
}

/** Sorts entries by name, in code unit order, and then by their other fields. */
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
    Number(b.always === true) - Number(a.always === true)
  );
}

/** A skill's listing element. Its description is separate so that it can be shortened. */
export interface ListedSkill {
  readonly head: string;
  /** The complete description in escaped form. */
  readonly description: string;
  readonly tail: string;
}

/** Builds a skill's element. A listing is the joined `textOf` strings of its elements. */
export function partOf(entry: CatalogEntry): ListedSkill {
  return {
    head: `  <skill>\n    <name>${escapeXml(shownName(entry.name))}</name>\n`,
    description: escapeXml(shownDescription(entry)),
    tail: `    <location>${escapeXml(shownName(entry.location))}</location>\n  </skill>\n`,
  };
}

/** Returns the element with its description cut to `cap` UTF-16 units. Omits an empty description. */
export function textOf({ head, description, tail }: ListedSkill, cap = Infinity): string {
  const line = description === '' ? '' : `    <description>${cutEscaped(description, cap)}</description>\n`;
  return head + line + tail;
}

/** Whether a cap shortens the description. */
export function isShortened({ description }: ListedSkill, cap: number): boolean {
  return description.length > cap;
}

/** Returns the complete listing, with its opening and closing text. */
export function listingOf(elements: readonly string[]): string {
  return `${opening}${elements.join('')}${closing}`;
}

/** The text before the first skill. */
export const opening = '<available_skills>\n';

/** The text after the last skill. */
export const closing = '</available_skills>';

const breaks = /[\t-\r\u0085\u2028\u2029]+/g;

/**
 * Returns a name or path as models see it: on one line, without hidden characters and with spaces unchanged.
 */
export function shownName(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return withoutHidden(text.replace(breaks, ' '));
}

/**
 * Returns a skill's description and when-to-use text as models see them: on one line and without hidden
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

/** Escapes the five special characters of XML. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

// Created on first use, because creating it takes as long as starting a command.
let graphemes: Intl.Segmenter | undefined;
/** The maximum distance from a cut back to a space, in UTF-16 units, to avoid splitting a word. */
const nearestWord = 16;
/** The number of UTF-16 code units to search on each side of a cut for a character that it would split. */
const neighbourhood = 64;

/**
 * Cuts escaped text to at most `most` UTF-16 units (at least 2), ending in `…`. Never splits a character or
 * an entity, nor a word if a space is nearby.
 */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(' ', most - 1);
  const end = space > 0 && space >= most - 1 - nearestWord ? space : wholeBefore(text, most - 1);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Returns the last position up to `end` that splits neither a character nor an entity. */
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
  // If the character may start before the searched range, only surrogate pairs are kept together.
  const isSplit = start === from && from > 0;
  return isSplit ? position - Number(isLowSurrogate(text, position)) : start;
}

function isLowSurrogate(text: string, position: number): boolean {
  return (text.charCodeAt(position) & 0xfc00) === 0xdc00;
}
