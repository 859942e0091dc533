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
} from './budget.ts';
import { catalogEntries, type CatalogEntry, type OfferOptions } from './entries.ts';
import {
  candidatesOf,
  isShortened,
  listingOf,
  shownDescription,
  textOf,
  type Candidates,
} from './listing.ts';
import { precedenceOf, type CatalogPriorities } from './priority.ts';

/** What a model is shown of the skills, and what it is not shown. */
export interface Catalog {
  /** Empty when no skill is shown. */
  readonly text: string;
  readonly shown: number;
  /** How many of the shown descriptions are cut. */
  readonly shortened: number;
  /** The names left out, sorted in code units. */
  readonly omitted: readonly string[];
  /** UTF-16 units. */
  readonly chars: number;
  /** By o200k, counted when first asked for. */
  readonly tokens: number;
}

/** What a catalog is made of besides the skills. */
export interface CatalogOptions extends CatalogPriorities, OfferOptions {
  readonly limits?: CatalogLimits | undefined;
  /** The home folder; only where the reader of the catalog resolves `~`. */
  readonly home?: string | undefined;
}

/** The catalog of registered skills. */
export function buildCatalog(skills: readonly Skill[], options: CatalogOptions = {}): Catalog {
  return applySkillsPromptLimits(catalogEntries(skills, options), options.limits, options);
}

/** The catalog of entries within limits: all of them in the order of their names when they fit, and otherwise what matters most, in that order too; pure. */
export function applySkillsPromptLimits(
  entries: readonly CatalogEntry[],
  limits: CatalogLimits = {},
  priorities: CatalogPriorities = {},
): Catalog {
  return within(budgetOf(limits), candidatesOf(entries), priorities);
}

function within(budget: CatalogBudget, candidates: Candidates, priorities: CatalogPriorities): Catalog {
  const line = (): Iterable<number> => {
    const { order, isWanted } = precedenceOf(candidates.entries, priorities);
    const descriptionOf = (index: number): string => shownDescription(candidates.entries[index] ?? {});
    return spreadClones(order, { descriptionOf, most: 2, isWanted });
  };
  const catalog = catalogOf(choose(candidates, line, budget), candidates);
  if (budget.maxTokens === Infinity || catalog.tokens <= budget.maxTokens) return catalog;
  const excess = catalog.tokens - budget.maxTokens;
  return within({ ...budget, maxTokens: budget.maxTokens - excess }, candidates, priorities);
}

function catalogOf({ shown, cap }: CatalogChoice, { entries, part }: Candidates): Catalog {
  const parts = shown.toSorted((a, b) => a - b).map(part);
  const listing = listingOf(parts.map((each) => textOf(each, cap)));
  const text = shown.length === 0 ? '' : instruction + listing + noteOf(shown.length, entries.length);
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
      return (tokens ??= countTokens(text));
    },
  };
}

/** How near-duplicates are told, and how many of them may stand where they are. */
interface Spread<Item> {
  descriptionOf(item: Item): string;
  /** How many of a group keep their place. */
  readonly most: number;
  /** What keeps its place whatever it resembles. */
  readonly isWanted?: (item: Item) => boolean;
}

/** The order with a few near-duplicates of a group before everything else had its turn; what is never asked for costs nothing. */
function* spreadClones<Item>(order: Iterable<Item>, how: Spread<Item>): Generator<Item> {
  const groups = createCloneGroups();
  const counts = new Map<number, number>();
  const late: Item[] = [];
  for (const item of order) {
    const group = groups.add(how.descriptionOf(item));
    const before = counts.get(group) ?? 0;
    counts.set(group, before + 1);
    if (before < how.most || how.isWanted?.(item) === true) yield item;
    else late.push(item);
  }
  yield* late;
}
