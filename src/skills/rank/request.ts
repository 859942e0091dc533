import type { Rarities, TermIndex } from './term-index.ts';
import { skillTerm, termsIn, termsOf, wordsOf } from './words.ts';

/** The terms of a text, with a value for each term. */
export interface QueryTerms {
  /** The values of terms, keyed by term number. */
  readonly worth: ReadonlyMap<number, number>;
  /** The total value of all terms, including terms that no skill contains. */
  readonly total: number;
  /** The sum of the squares of the terms' rarities, which normalises scores for sentences. */
  readonly square: number;
}

/** A prompt that is prepared for ranking. */
export interface Request {
  readonly whole: QueryTerms;
  /** The terms of the sentences that make a request. */
  readonly ask: QueryTerms;
  /** The numbers of the prompt's terms that occur in a skill. */
  readonly terms: ReadonlySet<number>;
  /** The number of different terms, including terms that no skill contains. */
  readonly distinct: number;
  /** The values of pairs of adjacent terms, keyed by `pairOf`. */
  readonly pairs: ReadonlyMap<number, number>;
  /** The words of the prompt in lower case, keyed by the numbers of their terms. */
  readonly written: ReadonlyMap<number, string>;
  readonly isGeneralQuestion: boolean;
}

const longestPrompt = 20_000;
const maxTerms = 80;
const repeats = 0.2; // The maximum bonus for repeated terms: 20 %. The second occurrence adds 9 %.

/** Prepares a prompt for ranking against the indexed skills. */
export function readRequest(prompt: string, index: TermIndex, rarities: Rarities = index): Request {
  const text = prompt.slice(0, longestPrompt);
  const words = wordsOf(text);
  const terms = words.flatMap(termsIn);
  const ids = terms.map((term) => index.idOf(term));
  const pairs = new Map<number, number>();
  ids.forEach((id, position) => {
    const next = ids[position + 1];
    if (id === undefined || next === undefined || id === next) return;
    pairs.set(pairOf(id, next), Math.min(rarities.rarityOf(id), rarities.rarityOf(next)));
  });
  return {
    whole: weighTerms(terms, index, rarities),
    ask: weighTerms(termsOf(askOf(text)), index, rarities),
    terms: new Set(ids.filter((id) => id !== undefined)),
    distinct: new Set(terms).size,
    pairs,
    written: writtenIn(words, index),
    isGeneralQuestion: isGeneralQuestion(text),
  };
}

function writtenIn(words: readonly string[], index: TermIndex): ReadonlyMap<number, string> {
  const written = new Map<number, string>();
  for (const word of words) {
    for (const term of termsIn(word)) {
      const id = index.idOf(term);
      if (id !== undefined && !written.has(id)) written.set(id, word.toLowerCase());
    }
  }
  return written;
}

/** Converts an ordered pair of terms to a number. */
export function pairOf(first: number, second: number): number {
  return first * 2 ** 26 + second;
}

function weighTerms(terms: readonly string[], index: TermIndex, rarities: Rarities): QueryTerms {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const skillId = index.idOf(skillTerm);
  if (skillId === undefined || !rarities.holds(skillId)) counts.delete(skillTerm);
  const valued = [...counts].map(([term, count]) => {
    const known = index.idOf(term);
    const id = known !== undefined && rarities.holds(known) ? known : undefined;
    const rarity = id === undefined ? rarities.rarityOfUnknown(term) : rarities.rarityOf(id);
    return { id, rarity, worth: (rarity * count * (1 + repeats)) / (count + repeats) };
  });
  const selected = valued.length <= maxTerms ? valued : mostValued(valued);
  return {
    worth: new Map(selected.flatMap(({ id, worth }) => (id === undefined ? [] : [[id, worth] as const]))),
    total: selected.reduce((sum, { worth }) => sum + worth, 0),
    square: selected.reduce((sum, { rarity }) => sum + rarity ** 2, 0),
  };
}

interface Valued {
  readonly id: number | undefined;
  readonly rarity: number;
  readonly worth: number;
}

/** Keeps only the most informative terms of a long prompt. Terms that no skill contains are dropped first. */
function mostValued(valued: readonly Valued[]): readonly Valued[] {
  const value = ({ id, worth }: Valued): number => (id === undefined ? 0 : worth);
  return valued.toSorted((a, b) => value(b) - value(a)).slice(0, maxTerms);
}

const verbs =
  'add|analy[sz]e|apply|ask|audit|automate|build|calculate|change|check|clean|collect|compare|compute|configure|' +
  'convert|create|debug|deploy|design|detect|determine|develop|diagnose|document|download|draft|edit|enable|' +
  'estimate|evaluate|explain|explore|export|extract|fetch|fill|find|fix|format|generate|get|give|have|identify|' +
  'implement|import|improve|install|integrate|investigate|launch|list|look|make|manage|measure|merge|migrate|mine|' +
  'monitor|move|optimi[sz]e|organi[sz]e|parse|plan|plot|port|post|predict|prepare|produce|profile|pull|read|' +
  'rebuild|recommend|record|refactor|remove|render|replace|reproduce|research|resolve|review|rewrite|run|save|scan|' +
  'schedule|score|search|send|set|show|simplify|simulate|solve|sort|start|suggest|summari[sz]e|tell|test|track|' +
  'train|transcribe|transform|translate|turn|update|upgrade|use|validate|verify|visuali[sz]e|walk|write';
const imperative = new RegExp(
  `^[-*\\d.)#\\s]*(?:(?:task|goal|objective|todo)\\s*:\\s*)?(?:${verbs})\\b`,
  'i',
);
const requestPhrase =
  /\?\s*$|\b(?:help|please|can you|could you|would you|(?:i|we)(?:['’]d| would)? (?:want|need|like|have to)|(?:i['’]m|we['’]re|i am|we are) (?:trying|looking)|how (?:do|can|should|would|to)|what (?:should|is the best|are)|should (?:i|we)|let['’]s|your (?:task|goal|job)|you (?:need|must|should)|the (?:goal|task|objective) is)\b/i;
const longestAsk = 600;

/** Returns the sentences of a prompt that make a request, without sentences that describe the situation. */
export function askOf(prompt: string): string {
  const sentences = prompt
    .replace(/```[^]*?(?:```|$)/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 2);
  const asking = sentences.filter((sentence) => requestPhrase.test(sentence) || imperative.test(sentence));
  const chosen = asking.length === 0 ? sentences.slice(0, 2) : asking;
  const [first = '', ...others] = chosen;
  let ask = first;
  for (const sentence of others) {
    if (ask.length + sentence.length > longestAsk) break;
    ask += ` ${sentence}`;
  }
  return ask.slice(0, longestAsk);
}

const ownMatter = /\b(?:we|our|ours|us|my|i['’](?:m|ve)|i have)\b/i;
const artefact =
  /`|[\w-]\/[\w./-]|\b\w+\.(?:[a-z]{1,4}|json|yaml|html|docx|pptx|xlsx|csproj)\b|[a-z][A-Z]|_\w|--\w|\w#|\d\.\d/;
const question =
  /^\s*(?:explain|tell me|what|why|who|which|when|where|how|is|are|was|were|does|do|did|can|if|name|have|has|should)\b/i;

/** Whether a prompt is a general question, unrelated to the user's own work. */
export function isGeneralQuestion(prompt: string): boolean {
  return question.test(prompt) && !ownMatter.test(prompt) && !artefact.test(prompt);
}

const maxShared = 6;

/**
 * Returns the words that a skill shares with a prompt, as written in the prompt. The most informative word
 * comes first.
 */
export function sharedWords({ whole, written }: Request, slot: number, index: TermIndex): readonly string[] {
  const shared: { readonly word: string; readonly worth: number }[] = [];
  index.eachTerm(slot, (id) => {
    const [word, worth] = [written.get(id), whole.worth.get(id)];
    if (word !== undefined && worth !== undefined) shared.push({ word, worth });
  });
  const words = shared.sort((a, b) => b.worth - a.worth).map(({ word }) => word);
  return [...new Set(words)].slice(0, maxShared);
}
