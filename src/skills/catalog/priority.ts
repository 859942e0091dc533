import type { CatalogEntry } from './entry.ts';
import { mentionedNames } from './mentions.ts';

/** What decides which skills stay when there is not enough room. */
export interface CatalogPriorities {
  /** What the user asks for; skills it names come first. */
  readonly request?: string | undefined;
  /** Names by how well they fit the request: scores, higher is better, or a list, best first. */
  readonly relevance?: ReadonlyMap<string, number> | readonly string[] | undefined;
  /** Names of the skills used in this session, latest first. */
  readonly recent?: readonly string[] | undefined;
}

/** An order of precedence over entries, by their index. */
export interface Precedence {
  readonly order: readonly number[];
  /** Whether it is mentioned: nothing may push it back. */
  isWanted(index: number): boolean;
}

/** Pinned skills, then those mentioned, relevant and lately used; what is left keeps the order given. */
export function precedenceOf(entries: readonly CatalogEntry[], priorities: CatalogPriorities): Precedence {
  const { request = '', recent = [] } = priorities;
  const mentioned = mentionedNames(request, request === '' ? [] : entries.map(({ name }) => name));
  const scores = scoresOf(priorities.relevance ?? []);
  const places = new Map(recent.map((name, place) => [name, place] as const).reverse());
  const ranks = new Map<number, Rank>();
  for (let index = 0; index < entries.length; index++) {
    const { name = '', always = false } = entries[index] ?? {};
    const isMentioned = mentioned.has(name);
    if (!always && !isMentioned && !scores.has(name) && !places.has(name)) continue;
    ranks.set(index, {
      isWanted: isMentioned,
      keys: [
        always ? 0 : 1,
        isMentioned ? 0 : 1,
        -(scores.get(name) ?? -Infinity),
        places.get(name) ?? Infinity,
      ],
    });
  }
  const ranked = [...ranks].sort(([, a], [, b]) => compareKeys(a.keys, b.keys)).map(([index]) => index);
  const rest = entries.map((_, index) => index).filter((index) => !ranks.has(index));
  return { order: [...ranked, ...rest], isWanted: (index) => ranks.get(index)?.isWanted === true };
}

/** Why an entry goes before others; the first key that differs decides, the smaller one first. */
interface Rank {
  readonly isWanted: boolean;
  readonly keys: readonly number[];
}

function scoresOf(relevance: ReadonlyMap<string, number> | readonly string[]): ReadonlyMap<string, number> {
  if (!isList(relevance)) return new Map([...relevance].filter(([, score]) => !Number.isNaN(score)));
  return new Map(relevance.map((name, place) => [name, -place] as const).reverse());
}

function isList(relevance: ReadonlyMap<string, number> | readonly string[]): relevance is readonly string[] {
  return Array.isArray(relevance);
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) {
    const [x = 0, y = 0] = [a[index], b[index]];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
