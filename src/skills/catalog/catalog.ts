import type { Skill } from '../../core/index.ts';
import { createCloneGroups } from '../rank/clones.ts';
import { compareText } from '../registry/collisions.ts';
import {
  budgetOf,
  choose,
  countTokens,
  instruction,
  noteOf,
  type CatalogBudget,
  type CatalogLimits,
  type CatalogChoice,
  type CountText,
} from './budget.ts';
import { catalogEntries, type CatalogEntry, type OfferOptions } from './entries.ts';
import {
  candidatesOf,
  closing,
  isShortened,
  listingOf,
  opening,
  shownDescription,
  textOf,
  type Candidates,
} from './listing.ts';
import { precedenceOf, type CatalogPriorities } from './priority.ts';

/** A list of skills for a model, and the names of the skills that it omits. */
export interface Catalog {
  /** The text of the catalog. Empty if it shows no skill. */
  readonly text: string;
  readonly shown: number;
  /** The number of descriptions that were shortened. */
  readonly shortened: number;
  /** The names of omitted skills, sorted by code units. */
  readonly omitted: readonly string[];
  /** The length of the text in UTF-16 code units. */
  readonly chars: number;
  /** The number of tokens (o200k). Counted when it is first read. */
  readonly tokens: number;
}

/** Options for a catalog of all registered skills. */
export interface CatalogOptions extends CatalogPriorities, OfferOptions {
  readonly limits?: CatalogLimits | undefined;
  /** The home folder, which paths show as `~`. Set it only if the model's file tools resolve `~`. */
  readonly home?: string | undefined;
}

/** Builds a catalog of registered skills. `count` counts the tokens of its elements. */
export function buildCatalog(
  skills: readonly Skill[],
  options: CatalogOptions = {},
  count: CountText = countTokens,
): Catalog {
  const candidates = candidatesOf(catalogEntries(skills, options));
  return within(budgetOf(options.limits ?? {}), candidates, options, count);
}

const leastRelevant = 150;

/** Ranks all skills for a request. */
type RankAll = (
  request: string,
  query: { readonly limit: number; readonly internals?: boolean | undefined },
) => Promise<{ readonly candidates: readonly { readonly name: string }[] }>;

/** Builds a catalog of registered skills. If not all of them fit, keeps those that fit the request best. */
export async function buildRelevantCatalog(
  skills: readonly Skill[],
  options: CatalogOptions,
  { rank, count }: { readonly rank: RankAll; readonly count: CountText },
): Promise<Catalog> {
  const { request, relevance, limits, internals } = options;
  const plain = buildCatalog(skills, options, count);
  if (request === undefined || relevance !== undefined || plain.omitted.length === 0) return plain;
  const limit = Math.max(leastRelevant, limits?.maxSkills ?? 0);
  const { candidates } = await rank(request, { limit, internals });
  return buildCatalog(skills, { ...options, relevance: candidates.map(({ name }) => name) }, count);
}

/**
 * Builds a catalog within limits, sorted by name. If not all entries fit, omits those with the lowest
 * precedence. Pure.
 */
export function applySkillsPromptLimits(
  entries: readonly CatalogEntry[],
  limits: CatalogLimits = {},
  priorities: CatalogPriorities = {},
): Catalog {
  return within(budgetOf(limits), candidatesOf(entries), priorities, countTokens);
}

function within(
  budget: CatalogBudget,
  candidates: Candidates,
  priorities: CatalogPriorities,
  count: CountText,
): Catalog {
  const line = (): Iterable<number> => {
    const { order, isMentioned } = precedenceOf(candidates.entries, priorities);
    const descriptionOf = (index: number): string => shownDescription(candidates.entries[index] ?? {});
    return spreadClones(order, { descriptionOf, most: 2, isMentioned });
  };
  const catalog = catalogOf(choose(candidates, line, budget, count), candidates, count);
  if (budget.maxTokens === Infinity || catalog.tokens <= budget.maxTokens) return catalog;
  const excess = catalog.tokens - budget.maxTokens;
  return within({ ...budget, maxTokens: budget.maxTokens - excess }, candidates, priorities, count);
}

function catalogOf({ shown, cap }: CatalogChoice, { entries, part }: Candidates, count: CountText): Catalog {
  const parts = shown.toSorted((a, b) => a - b).map(part);
  const elements = parts.map((each) => textOf(each, cap));
  const note = noteOf(shown.length, entries.length);
  const text = shown.length === 0 ? '' : instruction + listingOf(elements) + note;
  const isShown = new Set(shown);
  let tokens: number | undefined;
  return {
    text,
    shown: shown.length,
    shortened: parts.filter((each) => isShortened(each, cap)).length,
    omitted: entries
      .filter((_, index) => !isShown.has(index))
      .map(({ name }) => name)
      .sort(compareText),
    chars: text.length,
    get tokens() {
      // The tokenizer always splits between elements, so their counts can be added.
      const pieces = text === '' ? [] : [instruction + opening, ...elements, closing + note];
      return (tokens ??= pieces.reduce((sum, piece) => sum + count(piece), 0));
    },
  };
}

/** The criteria for detecting near-duplicates, and the number of them that keep their position. */
interface Spread<Item> {
  descriptionOf(item: Item): string;
  /** The maximum number of near-duplicates in a group that keep their position. */
  readonly most: number;
  /** Whether an item keeps its position, even if it is a near-duplicate. */
  readonly isMentioned?: (item: Item) => boolean;
}

/** Yields items in order, except that surplus near-duplicates of each group come at the end. Lazy. */
function* spreadClones<Item>(order: Iterable<Item>, how: Spread<Item>): Generator<Item> {
  const groups = createCloneGroups();
  const counts = new Map<number, number>();
  const late: Item[] = [];
  for (const item of order) {
    const group = groups.add(how.descriptionOf(item));
    const before = counts.get(group) ?? 0;
    counts.set(group, before + 1);
    if (before < how.most || how.isMentioned?.(item) === true) yield item;
    else late.push(item);
  }
  yield* late;
}
