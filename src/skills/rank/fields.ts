import type { Skill } from '../../core/index.ts';
import { termsOf } from './words.ts';

/** The parts of a skill used for ranking. */
export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** The text after the frontmatter. */
  readonly body: string;
}

/** Combines a registered skill with its body. Reads only the ranked fields of its card. */
export function searchableOf({ name, card }: Pick<Skill, 'name' | 'card'>, body: string): Searchable {
  const { description, whenToUse } = card;
  return { name, description, whenToUse, body };
}

/** The searched parts of a skill, as terms and as text. */
export interface SearchedParts {
  readonly terms: FieldTerms;
  /** The number of distinct terms in the description, including terms that the ranking ignores. */
  readonly descriptionLength: number;
  /** The terms of the name, followed by the terms of each sentence that describes the purpose. */
  readonly sentences: readonly (readonly string[])[];
  /** The body without code and markup. */
  readonly prose: string;
}

/** The maximum number of characters to read from a body. Its beginning is enough to show the subject. */
export const longestBody = 4_000;

/** The maximum number of description terms to accept that occur nowhere else in the skill. */
const maxUnsupported = 20;

// Matches text about other skills, such as "For X, see other-skill" or "Do NOT use for Y".
const aboutOthers =
  /^\W*(?:(?:do not|don['’]t|never|not) (?:use|for|intended|apply|trigger|invoke)\b|for [^.]{3,160}?,? (?:see|prefer|go to|(?<!\b(?:who|that|which|you|to|we|they) )(?:use|try)) (?!this\b|it\b|these\b)|avoid (?:this|using)\b|skip (?:this|when)\b|instead\b)/i;
const sentenceEnd =
  /(?<=[.!?;])\s+|\n+|(?=\b(?:DO NOT USE|(?<!\bDO NOT )USE FOR|INVOKES|(?<!\bDO NOT USE )WHEN)\b[^.]{0,20}:)/;
const headingAboutOthers =
  /^\W*(?:related|see also|other skills)\b|\b(?:(?:not|don['’]t|avoid)\W+(?:\w+\W+)?(?:use|using|when|for)|(?:use|when|for)\b.{0,20}?\b(?:not (?:to|for|use)|to avoid|don['’]t use))\b/i;

/** Reads the searched parts of a skill, excluding text about other skills. */
export function partsOf(skill: Searchable): SearchedParts {
  const { headings, prose } = readBody(skill.body.slice(0, longestBody));
  const name = termsOf(skill.name);
  const body = termsOf(prose);
  const said = purposeOf(skill).map(termsOf);
  const sentences = limitUnsupported(said, new Set([...name, ...body]));
  return {
    terms: {
      name,
      description: [...new Set(sentences.flat())], // repetition gains nothing
      headings: termsOf(headings.join('\n')),
      body,
    },
    descriptionLength: new Set(said.flat()).size,
    sentences: [name, ...sentences],
    prose,
  };
}

/**
 * Keeps the first terms of a description, and later terms only if they also occur elsewhere in the skill.
 * Prevents keyword lists from gaining an advantage.
 */
function limitUnsupported(
  sentences: readonly (readonly string[])[],
  spokenOf: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const unsupported = new Set<string>();
  return sentences.map((terms) =>
    terms.filter((term) => {
      if (spokenOf.has(term) || unsupported.has(term)) return true;
      if (unsupported.size >= maxUnsupported) return false;
      unsupported.add(term);
      return true;
    }),
  );
}

/** Returns the sentences of the description and the when-to-use text that are not about other skills. */
function purposeOf({ description, whenToUse = '' }: Searchable): readonly string[] {
  const sentences = `${description}\n${whenToUse}`.split(sentenceEnd).map((sentence) => sentence.trim());
  const own = sentences.filter((sentence) => sentence !== '' && !aboutOthers.test(sentence));
  return own.length === 0 ? [description] : own;
}

/** Returns the headings and prose of Markdown text, excluding sections on when not to use the skill. */
function readBody(body: string): { readonly headings: readonly string[]; readonly prose: string } {
  const headings: string[] = [];
  const lines: string[] = [];
  // The heading level of the section to skip. Infinity if no section is being skipped.
  let skippedFrom = Infinity;
  for (const line of body.replace(/^ {0,3}(`{3,}|~{3,})[^]*?(?:^ {0,3}\1|(?![^]))/gm, ' ').split('\n')) {
    const [, marks = '', heading = ''] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
    if (marks !== '' && marks.length <= skippedFrom)
      skippedFrom = headingAboutOthers.test(heading) ? marks.length : Infinity;
    if (skippedFrom < Infinity) continue;
    if (marks !== '') headings.push(heading);
    lines.push(heading || line);
  }
  return { headings, prose: plainText(lines.join('\n')) };
}

function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/[*_`>|]+/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

// The weight of each part, its typical number of terms, and the penalty for longer text, from 0 (none) to 1.
// The typical number is fixed, so that overlong skills cannot raise it.
const tuning = [
  { field: 'name', weight: 6, usual: 2.6, length: 0.3 },
  { field: 'description', weight: 3, usual: 24, length: 0.4 },
  { field: 'headings', weight: 0.5, usual: 36, length: 0.5 },
  { field: 'body', weight: 0.5, usual: 209, length: 0.5 },
] as const satisfies { readonly field: RankField; weight: number; usual: number; length: number }[];
const description = 1;

// The saturation limits for repeated terms, across all parts and in the description alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/** Returns the impact of a term in a skill, from 0 to 1, calculated by BM25 with weighted parts. */
export function impactOf(slot: number, counts: number, lengths: Lengths): number {
  let found = 0;
  for (let field = 0; field < tuning.length; field++) {
    const count = countIn(counts, field);
    if (count > 0) found += ((tuning[field]?.weight ?? 0) * count) / normOf(slot, field, lengths);
  }
  return found / (saturation + found);
}

/** Like `impactOf`, for the description alone. */
export function purposeImpactOf(slot: number, counts: number, lengths: Lengths): number {
  const found = countIn(counts, description) / normOf(slot, description, lengths);
  return found / (purposeSaturation + found);
}

function normOf(slot: number, field: number, lengths: Lengths): number {
  const { length = 0, usual = 1 } = tuning[field] ?? {};
  return 1 - length + (length * lengths.lengthOf(slot, field)) / usual;
}

/** The searched parts of a skill, which have separate weights. */
export const fields = ['name', 'description', 'headings', 'body'] as const;

/** One of the searched parts. */
export type RankField = (typeof fields)[number];

/** The terms of a skill, grouped by part. */
export type FieldTerms = Readonly<Record<RankField, readonly string[]>>;

/** The number of terms in each part of each skill. Parts are identified by number. */
export interface Lengths {
  lengthOf(slot: number, field: number): number;
}

// The bit layout for packing a term's counts in all parts into one number. Counts are capped.
const layout = [
  { shift: 0, most: 7 },
  { shift: 3, most: 127 },
  { shift: 10, most: 255 },
  { shift: 18, most: 1023 },
] as const;

/** Returns the count of a term in the part with the given number. */
export function countIn(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return (counts >>> shift) & most;
}

/** Returns the packed counts with the count of one part increased by one. */
export function increased(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return countIn(counts, field) < most ? counts + 2 ** shift : counts;
}
