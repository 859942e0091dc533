import type { Skill } from '../../core/skill.ts';
import type { FieldTerms } from './counts.ts';
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
export interface Parts {
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
export function partsOf(skill: Searchable): Parts {
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
