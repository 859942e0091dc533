import type { Skill } from '../../core/index.ts';
import { termsOf } from './words.ts';

/** What is known of a skill when it is ranked. */
export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** The text after the head. */
  readonly body: string;
}

/** A registered skill with its body; only what is ranked is read from its card. */
export function searchableOf({ name, card }: Pick<Skill, 'name' | 'card'>, body: string): Searchable {
  const { description, whenToUse } = card;
  return { name, description, whenToUse, body };
}

/** The searched parts of a skill, as terms and as text. */
export interface SearchedParts {
  readonly terms: FieldTerms;
  /** How many different terms the description has, those included that are not believed. */
  readonly descriptionLength: number;
  /** The terms of the name, then of each sentence about what the skill is for. */
  readonly sentences: readonly (readonly string[])[];
  /** The body without code and markup. */
  readonly prose: string;
}

/** How much of a body is read, in characters: its start says what it is about. */
export const longestBody = 4_000;

/** How many terms of a description are believed that stand nowhere else in the skill. */
const mostUnsupported = 20;

// "For X, see other-skill", "Do NOT use for Y": words about other skills.
const aboutOthers =
  /^\W*(?:(?:do not|don['’]t|never|not) (?:use|for|intended|apply|trigger|invoke)\b|for [^.]{3,160}?,? (?:see|prefer|go to|(?<!\b(?:who|that|which|you|to|we|they) )(?:use|try)) (?!this\b|it\b|these\b)|avoid (?:this|using)\b|skip (?:this|when)\b|instead\b)/i;
const sentenceEnd =
  /(?<=[.!?;])\s+|\n+|(?=\b(?:DO NOT USE|(?<!\bDO NOT )USE FOR|INVOKES|(?<!\bDO NOT USE )WHEN)\b[^.]{0,20}:)/;
const headingAboutOthers =
  /^\W*(?:related|see also|other skills)\b|\b(?:(?:not|don['’]t|avoid)\W+(?:\w+\W+)?(?:use|using|when|for)|(?:use|when|for)\b.{0,20}?\b(?:not (?:to|for|use)|to avoid|don['’]t use))\b/i;

/** Reads the searched parts of a skill, without what it says about other skills. */
export function partsOf(skill: Searchable): SearchedParts {
  const { headings, prose } = readBody(skill.body.slice(0, longestBody));
  const name = termsOf(skill.name);
  const body = termsOf(prose);
  const said = purposeOf(skill).map(termsOf);
  const sentences = believed(said, new Set([...name, ...body]));
  return {
    terms: {
      name,
      description: [...new Set(sentences.flat())], // saying it again gains nothing
      headings: termsOf(headings.join('\n')),
      body,
    },
    descriptionLength: new Set(said.flat()).size,
    sentences: [name, ...sentences],
    prose,
  };
}

/** The first terms of a description, and of the rest only those that the skill itself speaks of: a list of catchwords gains nothing. */
function believed(
  sentences: readonly (readonly string[])[],
  spokenOf: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const unsupported = new Set<string>();
  return sentences.map((terms) =>
    terms.filter((term) => {
      if (spokenOf.has(term) || unsupported.has(term)) return true;
      if (unsupported.size >= mostUnsupported) return false;
      unsupported.add(term);
      return true;
    }),
  );
}

/** The sentences of description and when-to-use that speak of this skill and not of others. */
function purposeOf({ description, whenToUse = '' }: Searchable): readonly string[] {
  const sentences = `${description}\n${whenToUse}`.split(sentenceEnd).map((sentence) => sentence.trim());
  const own = sentences.filter((sentence) => sentence !== '' && !aboutOthers.test(sentence));
  return own.length === 0 ? [description] : own;
}

/** Headings and prose of a Markdown text, without the sections on when not to use it. */
function readBody(body: string): { readonly headings: readonly string[]; readonly prose: string } {
  const headings: string[] = [];
  const lines: string[] = [];
  let skippedFrom = Infinity; // the level of the heading whose section is left out
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

// One row for each part: what a term is worth there, how many terms are usual, and how much more than that is held
// against it (0 not at all, 1 fully). What is usual is fixed: skills that say too much must not make it usual.
const tuning = [
  { field: 'name', weight: 6, usual: 2.6, length: 0.3 },
  { field: 'description', weight: 3, usual: 24, length: 0.4 },
  { field: 'headings', weight: 0.5, usual: 36, length: 0.5 },
  { field: 'body', weight: 0.5, usual: 209, length: 0.5 },
] as const satisfies { readonly field: RankField; weight: number; usual: number; length: number }[];
const description = 1;

// How fast finding a term again stops to count: over all parts, and in the description alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/** How strongly a skill holds a term, from 0 to 1: BM25 over weighted parts. */
export function impactOf(slot: number, counts: number, lengths: Lengths): number {
  let found = 0;
  for (let field = 0; field < tuning.length; field++) {
    const count = countIn(counts, field);
    if (count > 0) found += ((tuning[field]?.weight ?? 0) * count) / normOf(slot, field, lengths);
  }
  return found / (saturation + found);
}

/** The same for the description alone. */
export function purposeImpactOf(slot: number, counts: number, lengths: Lengths): number {
  const found = countIn(counts, description) / normOf(slot, description, lengths);
  return found / (purposeSaturation + found);
}

function normOf(slot: number, field: number, lengths: Lengths): number {
  const { length = 0, usual = 1 } = tuning[field] ?? {};
  return 1 - length + (length * lengths.lengthOf(slot, field)) / usual;
}

/** The parts of a skill that are searched, each with a weight of its own. */
export const fields = ['name', 'description', 'headings', 'body'] as const;

/** One of the searched parts. */
export type RankField = (typeof fields)[number];

/** The terms of a skill, part by part. */
export type FieldTerms = Readonly<Record<RankField, readonly string[]>>;

/** How long the parts of skills are, in terms; parts by their number. */
export interface Lengths {
  lengthOf(slot: number, field: number): number;
}

// How often a term stands in each part, packed into one number; more than the most counts as the most.
const layout = [
  { shift: 0, most: 7 },
  { shift: 3, most: 127 },
  { shift: 10, most: 255 },
  { shift: 18, most: 1023 },
] as const;

/** How often a term stands in a part of its skill, by the number of the part. */
export function countIn(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return (counts >>> shift) & most;
}

/** The counts with one more in a part. */
export function increased(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return countIn(counts, field) < most ? counts + 2 ** shift : counts;
}
