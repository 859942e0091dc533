import type { Skill } from '../core/skill.ts';
import { candidatesOf, type Candidates } from './catalog/candidates.ts';
import { choose, type Choice } from './catalog/choose.ts';
import { catalogEntries } from './catalog/entries.ts';
import type { CatalogEntry } from './catalog/entry.ts';
import { instruction, noteOf } from './catalog/instruction.ts';
import { budgetOf, type Budget, type CatalogLimits } from './catalog/limits.ts';
import type { OfferOptions } from './catalog/offered.ts';
import { isShortened, listingOf, textOf } from './catalog/part.ts';
import { precedenceOf, type CatalogPriorities } from './catalog/priority.ts';
import { shownDescription } from './catalog/shown-text.ts';
import { countTokens } from './catalog/tokens.ts';
import { compareText } from './collisions.ts';
import { spreadClones } from './spread-clones.ts';

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

function within(budget: Budget, candidates: Candidates, priorities: CatalogPriorities): Catalog {
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

function catalogOf({ shown, cap }: Choice, { entries, part }: Candidates): Catalog {
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
