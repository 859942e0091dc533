import { withoutHidden } from '../../core/index.ts';
import { compareText } from '../registry/collisions.ts';
import type { CatalogEntry } from './entries.ts';

/** The skills that want to be in a catalog, in the order in which a reader sees them. */
export interface Candidates {
  readonly entries: readonly CatalogEntry[];
  /** The element of an entry by its index, made when first asked for: most of ten thousand are never shown. */
  part(index: number): ListedSkill;
}

/** Sorts entries by name in code units; what is equal in that goes by whatever else tells it apart. */
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
      if (entry === undefined) throw new RangeError(`There is no entry ${index}.`);
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

/** The element of one skill, apart from its description, which may have to be cut. */
export interface ListedSkill {
  readonly head: string;
  /** Whole and escaped. */
  readonly description: string;
  readonly tail: string;
}

/** One skill of a listing; the text is exactly `textOf`, of which a listing is the concatenation. */
export function partOf(entry: CatalogEntry): ListedSkill {
  return {
    head: `  <skill>\n    <name>${escapeXml(shownName(entry.name))}</name>\n`,
    description: escapeXml(shownDescription(entry)),
    tail: `    <location>${escapeXml(shownName(entry.location))}</location>\n  </skill>\n`,
  };
}

/** The element with at most so many units of description; none when there is none. */
export function textOf({ head, description, tail }: ListedSkill, cap = Infinity): string {
  const line = description === '' ? '' : `    <description>${cutEscaped(description, cap)}</description>\n`;
  return head + line + tail;
}

/** Whether a cap takes something away from it. */
export function isShortened({ description }: ListedSkill, cap: number): boolean {
  return description.length > cap;
}

/** Skills as they stand between instruction and note. */
export function listingOf(elements: readonly string[]): string {
  return `${opening}${elements.join('')}${closing}`;
}

/** What stands before the first skill. */
export const opening = '<available_skills>\n';

/** What stands behind the last skill. */
export const closing = '</available_skills>';

const breaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** A name or path as a model sees it: on one line, without hidden characters, its blanks as they are. */
export function shownName(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return withoutHidden(text.replace(breaks, ' '));
}

/** What a skill says of itself as a model sees it: description and when-to-use on one line, without hidden characters. */
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

/** The text with the five XML characters escaped. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

let graphemes: Intl.Segmenter | undefined; // made on first use: it takes as long as starting a command
/** How far back a word may end, in UTF-16 units, before it is cut in two instead. */
const nearestWord = 16;
/** What is looked at around a cut to find the character that it would split. */
const neighbourhood = 64;

/** An escaped text of at most so many UTF-16 units (at least 2), ending in `…` where something is missing; no word nearby, no character and no entity is split. */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most - 1);
  const end = blank > 0 && blank >= most - 1 - nearestWord ? blank : wholeBefore(text, most - 1);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The last place up to here where no character and no entity is split. */
function wholeBefore(text: string, end: number): number {
  const place = isPlainAt(text, end) ? end : characterStart(text, end);
  const entity = text.lastIndexOf('&', place - 1);
  return entity >= 0 && text.indexOf(';', entity) >= place ? entity : place;
}

function isPlainAt(text: string, place: number): boolean {
  return text.charCodeAt(place - 1) < 0x80 && text.charCodeAt(place) < 0x80;
}

function characterStart(text: string, place: number): number {
  const from = Math.max(0, place - neighbourhood);
  graphemes ??= new Intl.Segmenter('und');
  const around = graphemes.segment(text.slice(from, place + neighbourhood));
  const start = from + (around.containing(place - from)?.index ?? place - from);
  const isSplit = start === from && from > 0; // longer than the neighbourhood: only code points stay whole
  return isSplit ? place - Number(isLowSurrogate(text, place)) : start;
}

function isLowSurrogate(text: string, place: number): boolean {
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00;
}
