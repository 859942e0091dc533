import { cutEscaped } from './cut.ts';
import type { CatalogEntry } from './entry.ts';
import { escapeXml, shownDescription, shownName } from './shown-text.ts';

/** The element of one skill, apart from its description, which may have to be cut. */
export interface Part {
  readonly head: string;
  /** Whole and escaped. */
  readonly description: string;
  readonly tail: string;
}

/** One skill of a listing; the text is exactly `textOf`, of which a listing is the concatenation. */
export function partOf(entry: CatalogEntry): Part {
  return {
    head: `  <skill>\n    <name>${escapeXml(shownName(entry.name))}</name>\n`,
    description: escapeXml(shownDescription(entry)),
    tail: `    <location>${escapeXml(shownName(entry.location))}</location>\n  </skill>\n`,
  };
}

/** The element with at most so many units of description; none when there is none. */
export function textOf({ head, description, tail }: Part, cap = Infinity): string {
  const line = description === '' ? '' : `    <description>${cutEscaped(description, cap)}</description>\n`;
  return head + line + tail;
}

/** Whether a cap takes something away from it. */
export function isShortened({ description }: Part, cap: number): boolean {
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
