import { lazy, warnRenamed } from '../../core/index.ts';
import type { CatalogEntry } from './entries.ts';

/** The criteria by which a catalog selects skills if not all of them fit. */
export interface CatalogPriorities {
  /** The user's request. Skills named in it come first. */
  readonly request?: string | undefined;
  /**
   * How relevant skills are to the request: a score for each name (higher is better), or a list of names
   * (best first).
   */
  readonly relevance?: ReadonlyMap<string, number> | readonly string[] | undefined;
  /** Names of the skills used in this session, most recent first. */
  readonly recent?: readonly string[] | undefined;
}

/** The order of precedence of entries, which are identified by index. */
interface Precedence {
  readonly order: readonly number[];
  /**
   * Whether the request mentions this entry. If so, the entry keeps its position even if it is a
   * near-duplicate.
   */
  isMentioned(index: number): boolean;
}

/**
 * Sorts pinned entries first, then entries that the request mentions, then relevant entries, then recently
 * used ones. All others keep their order.
 */
export function precedenceOf(entries: readonly CatalogEntry[], priorities: CatalogPriorities): Precedence {
  const { request = '', recent = [] } = priorities;
  const mentioned = mentionedNames(request, request === '' ? [] : entries.map(({ name }) => name));
  const scores = scoresOf(priorities.relevance ?? []);
  const positions = new Map(recent.map((name, position) => [name, position] as const).reverse());
  const ranks = new Map<number, Rank>();
  for (let index = 0; index < entries.length; index++) {
    const { name = '', pinned = wasPinned(entries[index]) } = entries[index] ?? {};
    const isMentioned = mentioned.has(name);
    if (!pinned && !isMentioned && !scores.has(name) && !positions.has(name)) continue;
    ranks.set(index, {
      isMentioned,
      keys: [
        pinned ? 0 : 1,
        isMentioned ? 0 : 1,
        -(scores.get(name) ?? -Infinity),
        positions.get(name) ?? Infinity,
      ],
    });
  }
  const ranked = [...ranks].sort(([, a], [, b]) => compareKeys(a.keys, b.keys)).map(([index]) => index);
  const rest = entries.map((_, index) => index).filter((index) => !ranks.has(index));
  return { order: [...ranked, ...rest], isMentioned: (index) => ranks.get(index)?.isMentioned === true };
}

/** Whether an entry is pinned with `always`, the name of the property in release 0.1. */
function wasPinned(entry: { readonly always?: boolean | undefined } | undefined): boolean {
  if (entry?.always !== true) return false;
  warnRenamed('CatalogEntry.always', 'CatalogEntry.pinned');
  return true;
}

/** The sort keys of an entry. The first key that differs decides. Smaller values come first. */
interface Rank {
  readonly isMentioned: boolean;
  readonly keys: readonly number[];
}

function scoresOf(relevance: ReadonlyMap<string, number> | readonly string[]): ReadonlyMap<string, number> {
  if (!isList(relevance)) return new Map([...relevance].filter(([, score]) => !Number.isNaN(score)));
  return new Map(relevance.map((name, position) => [name, -position] as const).reverse());
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

// Scripts without spaces between words. In such text, a name can be surrounded by letters.
const unspaced = lazy(
  () => /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/v,
);
const word = lazy(
  () => new RegExp(`${unspaced().source}+|[[\\p{L}\\p{M}\\p{N}]--${unspaced().source}]+`, 'gv'),
);
const maxRead = 100_000;

/**
 * Returns the names that occur in a request as whole words. Ignores case. Parts of a name may be joined by a
 * space, `-` or `_`. Pure.
 */
export function mentionedNames(request: string, names: readonly string[]): ReadonlySet<string> {
  const text = plainOf(request.slice(0, maxRead));
  const mentioned = new Set<string>();
  if (text.trim() === '') return mentioned;
  const namesByPhrase = new Map<string, string[]>();
  let maxWords = 0;
  for (const name of names) {
    for (const form of formsOf(name)) {
      const words = form.match(word()) ?? [];
      if (unspaced().test(form) && text.includes(form)) mentioned.add(name);
      maxWords = Math.max(maxWords, words.length);
      const phrase = words.join(' ');
      const same = namesByPhrase.get(phrase);
      if (same === undefined) namesByPhrase.set(phrase, [name]);
      else same.push(name);
    }
  }
  for (const phrase of phrasesIn(text, maxWords)) {
    for (const name of namesByPhrase.get(phrase) ?? []) mentioned.add(name);
  }
  return mentioned;
}

/**
 * Returns the forms in which a name can be written. A qualified name can be written without its qualifier.
 */
function formsOf(name: string): readonly string[] {
  const whole = plainOf(name);
  const bare = whole
    .replace(/^[^:]*:/, '')
    .replace(/:\d+$/, '')
    .replace(/^.*\//, '');
  return bare === whole ? [whole] : [whole, bare];
}

function plainOf(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Yields each sequence of up to `maxWords` words, joined by spaces. A sequence neither starts nor ends inside
 * a compound such as `a-b`.
 */
function* phrasesIn(text: string, maxWords: number): Generator<string> {
  const found = [...text.matchAll(word())].map((match) => ({ text: match[0], at: match.index }));
  const gaps = found.map(({ at }, index) => {
    const before = found[index - 1];
    return before === undefined ? '.' : text.slice(before.at + before.text.length, at);
  });
  let open: { readonly from: number; readonly text: string }[] = [];
  for (const [index, { text: next }] of found.entries()) {
    const gap = gaps[index] ?? '';
    const isJoined = isTight(gap) || /^\s+$/.test(gap);
    open = isJoined ? open.map(({ from, text: phrase }) => ({ from, text: `${phrase} ${next}` })) : [];
    if (!isTight(gap)) open.push({ from: index, text: next });
    open = open.filter(({ from }) => index - from < maxWords);
    if (!isTight(gaps[index + 1] ?? '')) for (const { text: phrase } of open) yield phrase;
  }
}

function isTight(gap: string): boolean {
  return /^[-_:/]$/.test(gap);
}
