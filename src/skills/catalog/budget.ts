import type { countTokens as CountTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { AgentError, loadPackage } from '../../core/index.ts';
import { closing, opening, textOf, type Candidates, type ListedSkill } from './listing.ts';

/** The indexes of the entries that a catalog shows, and the maximum length of their descriptions. */
export interface CatalogChoice {
  readonly shown: readonly number[];
  /** The maximum length of a description in UTF-16 code units. Infinity if no description is shortened. */
  readonly cap: number;
}

/**
 * The minimum length of a shortened description, in UTF-16 code units. About ten words are enough to tell
 * skills apart.
 */
const descriptionFloor = 60;

const none: CatalogChoice = { shown: [], cap: Infinity };

/**
 * Selects all skills if their full descriptions fit. Otherwise, selects as many as fit with short
 * descriptions, in order of precedence. Then finds the greatest description length that still fits.
 */
export function choose(
  candidates: Candidates,
  line: () => Iterable<number>,
  budget: CatalogBudget,
  countText: CountText,
): CatalogChoice {
  const measure = measureFor(budget, countText);
  const all = candidates.entries.length;
  const everything = candidates.entries.map((_, index) => index);
  if (all <= budget.maxSkills && fitsWith(Infinity, everything, candidates, measure))
    return { shown: everything, cap: Infinity };
  const { indexes, sums } = measurePrefixes(line(), candidates, budget, measure);
  const fits = (count: number): boolean => measure.fits(sums[count] ?? nothing, count, all);
  const most = Math.min(indexes.length, budget.maxSkills);
  const count = most === all && fits(all) ? all : largest(0, Math.min(most, all - 1), fits);
  if (count === 0) return none;
  const shown = indexes.slice(0, count);
  return { shown, cap: widestCap(shown, candidates, measure) };
}

/**
 * Adds up the sizes of entries with short descriptions, in order of precedence. Stops when no further entry
 * can fit.
 */
function measurePrefixes(
  line: Iterable<number>,
  { entries, part }: Candidates,
  budget: CatalogBudget,
  measure: Measure,
): { readonly indexes: readonly number[]; readonly sums: readonly Size[] } {
  const all = entries.length;
  const indexes: number[] = [];
  const sums: Size[] = [nothing];
  let sum = nothing;
  if (budget.maxSkills === 0 || !measure.fits(nothing, all, all)) return { indexes, sums };
  for (const index of line) {
    const size = measure.of(part(index), descriptionFloor);
    if (!measure.fits(size, 1, all)) continue; // Skip an entry that is too large by itself.
    sum = plus(sum, size);
    indexes.push(index);
    sums.push(sum);
    if (indexes.length > budget.maxSkills || !measure.fits(sum, all, all)) break;
  }
  return { indexes, sums };
}

function widestCap(shown: readonly number[], candidates: Candidates, measure: Measure): number {
  const longest = shown.reduce((most, index) => Math.max(most, candidates.part(index).description.length), 0);
  const cap = largest(descriptionFloor, longest, (value) => fitsWith(value, shown, candidates, measure));
  return cap >= longest ? Infinity : cap;
}

function fitsWith(
  cap: number,
  shown: readonly number[],
  { entries, part }: Candidates,
  measure: Measure,
): boolean {
  let sum = nothing;
  for (const index of shown) {
    sum = plus(sum, measure.of(part(index), cap));
    if (!measure.fits(sum, shown.length, entries.length)) return false;
  }
  return true;
}

/** The size of a text in a catalog. `tokens` is 0 if there is no limit on tokens. */
interface Size {
  readonly chars: number;
  readonly tokens: number;
}

/**
 * Functions that measure the elements of a catalog. An element ends with `>` and a newline, where the o200k
 * tokenizer always splits, so the token counts of elements can be added.
 */
interface Measure {
  of(part: ListedSkill, cap: number): Size;
  /** Whether skills of this total size fit, together with the text around them. */
  fits(skills: Size, shown: number, all: number): boolean;
}

/** Creates a `Measure` that counts the tokens of each text only once, and only if tokens are limited. */
function measureFor({ maxChars, maxTokens }: CatalogBudget, countText: CountText): Measure {
  const known = new Map<string, number>();
  const tokensOf = (text: string): number => {
    if (maxTokens === Infinity) return 0;
    const before = known.get(text) ?? countText(text);
    known.set(text, before);
    return before;
  };
  const sizeOf = (text: string): Size => ({ chars: text.length, tokens: tokensOf(text) });
  return {
    of: (part, cap) => sizeOf(textOf(part, cap)),
    fits(skills, shown, all) {
      const start = sizeOf(instruction + opening);
      const end = sizeOf(closing + noteOf(shown, all));
      return (
        start.chars + skills.chars + end.chars <= maxChars &&
        start.tokens + skills.tokens + end.tokens <= maxTokens
      );
    },
  };
}

function plus(a: Size, b: Size): Size {
  return { chars: a.chars + b.chars, tokens: a.tokens + b.tokens };
}

const nothing: Size = { chars: 0, tokens: 0 };

/** Limits on a catalog's size. If several limits are set, all of them apply. */
export interface CatalogLimits {
  /** The maximum number of skills. Defaults to 150. */
  readonly maxSkills?: number | undefined;
  /** The maximum length of the complete text, in UTF-16 code units. Defaults to 30,000. */
  readonly maxChars?: number | undefined;
  /** The maximum number of tokens (o200k) in the complete text. Unlimited by default. */
  readonly maxTokens?: number | undefined;
  /** The size of the model's context window, in tokens. The catalog may use a share of it. */
  readonly contextWindow?: number | undefined;
  /**
   * The share of the context window for the catalog, from 0 to 1. Defaults to 0.02, which is 4,000 of 200,000
   * tokens.
   */
  readonly windowShare?: number | undefined;
}

/** Catalog limits with all defaults filled in. */
export interface CatalogBudget {
  readonly maxSkills: number;
  readonly maxChars: number;
  /** The maximum number of tokens. Infinity if there is no limit. */
  readonly maxTokens: number;
}

/** Returns the limits with all defaults filled in. Throws `usage.bad-input` for an invalid limit. */
export function budgetOf(limits: CatalogLimits): CatalogBudget {
  const { maxSkills = 150, maxChars = 30_000, maxTokens = Infinity } = limits;
  const { contextWindow = Infinity, windowShare = 0.02 } = limits;
  const given = { maxSkills, maxChars, maxTokens, contextWindow, windowShare };
  for (const [name, value] of Object.entries(given)) checkSize(name, value);
  if (windowShare > 1) throw badLimit('windowShare', 'is greater than 1', 'Use a number from 0 to 1.');
  const share = contextWindow === Infinity ? Infinity : contextWindow * windowShare;
  return { maxSkills: Math.floor(maxSkills), maxChars, maxTokens: Math.min(maxTokens, share) };
}

function checkSize(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw badLimit(
    name,
    'must be a number of at least 0',
    'Use a number that is 0 or greater, or omit the option to use the default.',
  );
}

function badLimit(name: string, what: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `The catalog limit ${name} ${what}.`, { hint });
}

/**
 * Returns the largest integer from `low` to `high` for which `holds` returns true. Uses binary search, so
 * `holds` must be true for `low` and must not become true again above an integer for which it is false.
 */
function largest(low: number, high: number, holds: (value: number) => boolean): number {
  let [sure, open] = [low, Math.max(low, high)];
  while (sure < open) {
    const middle = Math.ceil((sure + open) / 2);
    if (holds(middle)) sure = middle;
    else open = middle - 1;
  }
  return sure;
}

/** Counts the tokens of an element of a catalog. */
export type CountText = (text: string) => number;

const nothingSpecial = { disallowedSpecial: new Set<string>() };

let counter: typeof CountTokens | undefined;

/**
 * Counts tokens (o200k). Special tokens such as `<|endoftext|>` are treated as text. The first call loads the
 * vocabulary, which takes about 200 ms.
 */
export function countTokens(text: string): number {
  if (text === '') return 0;
  counter ??= (loadPackage('gpt-tokenizer/encoding/o200k_base') as { countTokens: typeof CountTokens })
    .countTokens;
  return counter(text, nothingSpecial);
}

/** The instruction to the model that precedes the listing. It has about 80 tokens. */
export const instruction = `Match the task against the descriptions below before you act.
- One skill clearly fits: load it (call \`skill\` with its name, else \`read\` its location) and follow it.
- Several fit: load only the most specific of them.
- None fits: load none.
Choose first, then load; never load a second skill in advance.

`;

/** Returns a note about the skills that the listing omits, or an empty string if it omits none. */
export function noteOf(shown: number, all: number): string {
  return shown === all ? '' : `\n${shown} of ${all} skills shown; find-skills searches the rest.`;
}
