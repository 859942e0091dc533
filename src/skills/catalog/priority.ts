import type { CatalogEntry } from './entries.ts';

/** Priorities that decide which skills to keep if space is limited. */
export interface CatalogPriorities {
  /** The user's request. Skills named in it come first. */
  readonly request?: string | undefined;
  /** Relevance to the request: scores by name (higher is better), or a list of names (best first). */
  readonly relevance?: ReadonlyMap<string, number> | readonly string[] | undefined;
  /** Names of the skills used in this session, most recent first. */
  readonly recent?: readonly string[] | undefined;
}

/** Entries in order of precedence, identified by index. */
interface Precedence {
  readonly order: readonly number[];
  /** Whether the request mentions the entry with this index. A mentioned entry keeps its position. */
  isMentioned(index: number): boolean;
}

/** Orders pinned skills first, then mentioned, relevant and recently used ones. The rest keep their order. */
export function precedenceOf(entries: readonly CatalogEntry[], priorities: CatalogPriorities): Precedence {
  const { request = '', recent = [] } = priorities;
  const mentioned = mentionedNames(request, request === '' ? [] : entries.map(({ name }) => name));
  const scores = scoresOf(priorities.relevance ?? []);
  const positions = new Map(recent.map((name, position) => [name, position] as const).reverse());
  const ranks = new Map<number, Rank>();
  for (let index = 0; index < entries.length; index++) {
    const { name = '', always = false } = entries[index] ?? {};
    const isMentioned = mentioned.has(name);
    if (!always && !isMentioned && !scores.has(name) && !positions.has(name)) continue;
    ranks.set(index, {
      isMentioned,
      keys: [
        always ? 0 : 1,
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

/** An entry's sort keys. The first key that differs decides, and smaller values come first. */
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

// Scripts without spaces between words, in which a name can occur directly between other letters.
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/v;
const word = new RegExp(`${unspaced.source}+|[[\\p{L}\\p{M}\\p{N}]--${unspaced.source}]+`, 'gv');
const maxRead = 100_000;

/**
 * Returns the names that occur in a request as whole words, ignoring case. A space, `-` or `_` can join the
 * parts of a name. Pure.
 */
export function mentionedNames(request: string, names: readonly string[]): ReadonlySet<string> {
  const text = plainOf(request.slice(0, maxRead));
  const mentioned = new Set<string>();
  if (text.trim() === '') return mentioned;
  const namesByPhrase = new Map<string, string[]>();
  let maxWords = 0;
  for (const name of names) {
    for (const form of formsOf(name)) {
      const words = form.match(word) ?? [];
      if (unspaced.test(form) && text.includes(form)) mentioned.add(name);
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

/** Returns the forms in which a name can occur. A qualified name can also occur without its qualifier. */
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
 * Yields each sequence of up to `maxWords` words, joined by single spaces, that neither starts nor ends
 * inside a compound such as `a-b`.
 */
function* phrasesIn(text: string, maxWords: number): Generator<string> {
  const found = [...text.matchAll(word)].map((match) => ({ text: match[0], at: match.index }));
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
