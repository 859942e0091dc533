import type { Skill, Source } from '../../core/index.ts';
import { skillTerm, termsOf as allTermsOf } from './words.ts';

/** The texts of a skill that ranking uses. */
export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** The text after the frontmatter. */
  readonly body: string;
  /** Whether the user wrote or chose the skill. Such a skill comes before a copy from elsewhere. */
  readonly isOwn?: boolean | undefined;
}

/** Combines the ranked fields of a registered skill's card with its body. */
export function searchableOf(
  { name, card, source }: Pick<Skill, 'name' | 'card' | 'source'>,
  body: string,
): Searchable {
  const { description, whenToUse } = card;
  return { name, description, whenToUse, body, isOwn: ownSources.has(source) };
}

const ownSources: ReadonlySet<Source> = new Set<Source>(['explicit', 'project', 'user']);

/** A skill's searchable text, as terms and as prose. */
export interface SearchedParts {
  readonly terms: FieldTerms;
  /** The number of different terms in the description. This includes terms that ranking ignores. */
  readonly descriptionLength: number;
  /** The terms of the name, followed by the terms of each sentence about the skill's purpose. */
  readonly sentences: readonly (readonly string[])[];
  /** The body without code and markup. */
  readonly prose: string;
}

/**
 * The maximum number of characters of a body to read. The start of a body is enough to show what the skill is
 * about.
 */
export const longestBody = 4_000;

/** The maximum number of terms in a description that occur nowhere else in the skill. */
const maxUnsupported = 20;

// Matches sentences about other skills, such as "For X, see other-skill" or "Do NOT use for Y".
const aboutOthers =
  /^\W*(?:(?:do not|don['’]t|never|not) (?:use|for|intended|apply|trigger|invoke)\b|for [^.]{3,160}?,? (?:see|prefer|go to|(?<!\b(?:who|that|which|you|to|we|they) )(?:use|try)) (?!this\b|it\b|these\b)|avoid (?:this|using)\b|skip (?:this|when)\b|instead\b)/i;
const sentenceEnd =
  /(?<=[.!?;])\s+|\n+|(?=\b(?:DO NOT USE|(?<!\bDO NOT )USE FOR|INVOKES|(?<!\bDO NOT USE )WHEN)\b[^.]{0,20}:)/;
const headingAboutOthers =
  /^\W*(?:related|see also|other skills)\b|\b(?:(?:not|don['’]t|avoid)\W+(?:\w+\W+)?(?:use|using|when|for)|(?:use|when|for)\b.{0,20}?\b(?:not (?:to|for|use)|to avoid|don['’]t use))\b/i;

/** Returns the searchable text of a skill. Omits sentences about other skills. */
export function partsOf(skill: Searchable): SearchedParts {
  const { headings, prose } = readBody(skill.body.slice(0, longestBody));
  const name = allTermsOf(skill.name);
  const isAboutSkills = name.includes(skillTerm);
  const termsOf = (text: string): readonly string[] =>
    isAboutSkills ? allTermsOf(text) : allTermsOf(text).filter((term) => term !== skillTerm);
  const body = termsOf(prose);
  const said = purposeOf(skill).map(termsOf);
  const sentences = limitUnsupported(said, new Set([...name, ...body]));
  return {
    terms: {
      name,
      description: [...new Set(sentences.flat())], // Repeated terms do not raise the score.
      headings: termsOf(headings.join('\n')),
      body,
    },
    descriptionLength: new Set(said.flat()).size,
    sentences: [name, ...sentences],
    prose,
  };
}

/**
 * Keeps the first terms of a description, and later terms only if they occur elsewhere in the skill, so that
 * a long list of keywords gives no advantage.
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

/**
 * Returns the sentences of the description and the `when-to-use` text. Omits sentences about other skills.
 */
function purposeOf({ description, whenToUse = '' }: Searchable): readonly string[] {
  const sentences = `${description}\n${whenToUse}`.split(sentenceEnd).map((sentence) => sentence.trim());
  const own = sentences.filter((sentence) => sentence !== '' && !aboutOthers.test(sentence));
  return own.length === 0 ? [description] : own;
}

/**
 * Returns the headings and the prose of Markdown text. Omits sections that explain when not to use the skill.
 */
function readBody(body: string): { readonly headings: readonly string[]; readonly prose: string } {
  const headings: string[] = [];
  const lines: string[] = [];
  // The heading level of the section that is being skipped. Infinity if no section is being skipped.
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

// For each field: its weight, its usual number of terms, and the penalty for more terms, from 0 (none) to 1.
// The usual number of terms is a constant, so that long skills cannot raise it.
const tuning = [
  { field: 'name', weight: 6, usual: 2.6, length: 0.3 },
  { field: 'description', weight: 3, usual: 24, length: 0.4 },
  { field: 'headings', weight: 0.5, usual: 36, length: 0.5 },
  { field: 'body', weight: 0.5, usual: 209, length: 0.5 },
] as const satisfies { readonly field: RankField; weight: number; usual: number; length: number }[];
const description = 1;

// The BM25 saturation for repeated terms. A higher value gives repetitions more weight. The second value is
// for descriptions alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/**
 * Returns how much a term contributes to a skill's score, from 0 to 1. The formula is BM25 with weighted
 * fields.
 */
export function impactOf(slot: number, counts: number, lengths: Lengths): number {
  let found = 0;
  for (let field = 0; field < tuning.length; field++) {
    const count = countIn(counts, field);
    if (count > 0) found += ((tuning[field]?.weight ?? 0) * count) / normOf(slot, field, lengths);
  }
  return found / (saturation + found);
}

/** Like `impactOf`, but for the description alone. */
export function purposeImpactOf(slot: number, counts: number, lengths: Lengths): number {
  const found = countIn(counts, description) / normOf(slot, description, lengths);
  return found / (purposeSaturation + found);
}

function normOf(slot: number, field: number, lengths: Lengths): number {
  const { length = 0, usual = 1 } = tuning[field] ?? {};
  return 1 - length + (length * lengths.lengthOf(slot, field)) / usual;
}

/** The searchable fields of a skill. Each field has its own weight. */
export const fields = ['name', 'description', 'headings', 'body'] as const;

/** A searchable field. */
export type RankField = (typeof fields)[number];

/** The terms of a skill in each field. */
export type FieldTerms = Readonly<Record<RankField, readonly string[]>>;

/** The number of terms in each field of each skill. A field is identified by its index in `fields`. */
export interface Lengths {
  lengthOf(slot: number, field: number): number;
}

// The layout of a number that contains the packed counts of a term in all fields. Each count has a maximum.
const layout = [
  { shift: 0, most: 7 },
  { shift: 3, most: 127 },
  { shift: 10, most: 255 },
  { shift: 18, most: 1023 },
] as const;

/** Returns a term's count in the field with this index. */
export function countIn(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return (counts >>> shift) & most;
}

/** Returns the packed counts with the count of one field increased by one. */
export function increased(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return countIn(counts, field) < most ? counts + 2 ** shift : counts;
}
