import type { countTokens as CountTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { AgentError, loadPackage } from '../../core/index.ts';
import { closing, opening, textOf, type Candidates, type ListedSkill } from './listing.ts';

/** What a catalog shows: entries by index, and how many units of each description. */
export interface CatalogChoice {
  readonly shown: readonly number[];
  /** Infinity when no description is shortened. */
  readonly cap: number;
}

/** No description is cut below so many units: about ten words still tell skills apart. */
const descriptionFloor = 60;

const none: CatalogChoice = { shown: [], cap: Infinity };

/** As many skills as fit with short descriptions, by precedence; then the longest descriptions that still fit. */
export function choose(
  candidates: Candidates,
  line: () => Iterable<number>,
  budget: CatalogBudget,
): CatalogChoice {
  const measure = measureFor(budget);
  const all = candidates.entries.length;
  const everything = candidates.entries.map((_, index) => index);
  if (all <= budget.maxSkills && fitsWith(Infinity, everything, candidates, measure))
    return { shown: everything, cap: Infinity };
  const { indexes, sums } = standing(line(), candidates, budget, measure);
  const fits = (count: number): boolean => measure.fits(sums[count] ?? nothing, count, all);
  const most = Math.min(indexes.length, budget.maxSkills);
  const count = most === all && fits(all) ? all : largest(0, Math.min(most, all - 1), fits);
  if (count === 0) return none;
  const shown = indexes.slice(0, count);
  return { shown, cap: widestCap(shown, candidates, measure) };
}

/** Entries by precedence with short descriptions, and the size of every number of them; ends where one more cannot fit. */
function standing(
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
    if (!measure.fits(size, 1, all)) continue; // too large on its own: it must not keep out the rest
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

/** How large a piece of a catalog is; tokens are 0 where nobody limits them. */
interface Size {
  readonly chars: number;
  readonly tokens: number;
}

/** Measures the pieces of one catalog. Each ends a line with `>`, where o200k never joins tokens, so that sizes add up. */
interface Measure {
  of(part: ListedSkill, cap: number): Size;
  /** Whether skills of this size fit with all that stands around them. */
  fits(skills: Size, shown: number, all: number): boolean;
}

/** A measure that counts tokens only where they are limited, and each text once. */
function measureFor({ maxChars, maxTokens }: CatalogBudget): Measure {
  const known = new Map<string, number>();
  const tokensOf = (text: string): number => {
    if (maxTokens === Infinity) return 0;
    const before = known.get(text) ?? countTokens(text);
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

/** Both together. */
function plus(a: Size, b: Size): Size {
  return { chars: a.chars + b.chars, tokens: a.tokens + b.tokens };
}

/** The size of nothing. */
const nothing: Size = { chars: 0, tokens: 0 };

/** How large a catalog may be; all that are given hold at once. */
export interface CatalogLimits {
  /** 150 unless said. */
  readonly maxSkills?: number | undefined;
  /** UTF-16 units of the whole text; 30,000 unless said. */
  readonly maxChars?: number | undefined;
  /** Tokens of the whole text by o200k; none unless said. */
  readonly maxTokens?: number | undefined;
  /** Tokens that the model takes in; the catalog gets a share of them. */
  readonly contextWindow?: number | undefined;
  /** The share, 0 to 1; a fiftieth unless said: 4,000 of 200,000 tokens. */
  readonly windowShare?: number | undefined;
}

/** Limits with every default filled in. */
export interface CatalogBudget {
  readonly maxSkills: number;
  readonly maxChars: number;
  /** Infinity when tokens are not counted. */
  readonly maxTokens: number;
}

/** The limits as they will be kept; throws `usage.bad-input` for what is no size. */
export function budgetOf(limits: CatalogLimits): CatalogBudget {
  const { maxSkills = 150, maxChars = 30_000, maxTokens = Infinity } = limits;
  const { contextWindow = Infinity, windowShare = 0.02 } = limits;
  const given = { maxSkills, maxChars, maxTokens, contextWindow, windowShare };
  for (const [name, value] of Object.entries(given)) checkSize(name, value);
  if (windowShare > 1) throw badLimit('windowShare', 'is more than the whole', 'Give a number from 0 to 1.');
  const share = contextWindow === Infinity ? Infinity : contextWindow * windowShare;
  return { maxSkills: Math.floor(maxSkills), maxChars, maxTokens: Math.min(maxTokens, share) };
}

function checkSize(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw badLimit(name, 'is not a number from 0 up', 'Give a number, or leave it out for the default.');
}

function badLimit(name: string, what: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `The catalog limit ${name} ${what}.`, { hint });
}

/** The largest whole number from `low` to `high` for which a test holds that holds up to some number; `low` is not tested. */
function largest(low: number, high: number, holds: (value: number) => boolean): number {
  let [sure, open] = [low, Math.max(low, high)];
  while (sure < open) {
    const middle = Math.ceil((sure + open) / 2);
    if (holds(middle)) sure = middle;
    else open = middle - 1;
  }
  return sure;
}

const nothingSpecial = { disallowedSpecial: new Set<string>() };

let count: typeof CountTokens | undefined;

/** Tokens by o200k; `<|endoftext|>` and its like are ordinary text. The vocabulary is loaded on first use, in a fifth of a second. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  count ??= (loadPackage('gpt-tokenizer/encoding/o200k_base') as { countTokens: typeof CountTokens })
    .countTokens;
  return count(text, nothingSpecial);
}

/** What a model is told before the listing, in about 80 tokens. */
export const instruction = `Match the task against the descriptions below before you act.
- One skill clearly fits: load it (call \`skill\` with its name, else \`read\` its location) and follow it.
- Several fit: load only the most specific of them.
- None fits: load none.
Choose first, then load; never load a second skill in advance.

`;

/** What a model is told behind a listing that leaves something out; empty when nothing is. */
export function noteOf(shown: number, all: number): string {
  return shown === all ? '' : `\n${shown} of ${all} skills shown; find-skills searches the rest.`;
}
