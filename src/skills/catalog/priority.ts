import type { CatalogEntry } from './entries.ts';

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
interface Precedence {
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

// Where writing puts no blank between words, a name may stand in the middle of a run of letters.
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/v;
const word = new RegExp(`${unspaced.source}+|[[\\p{L}\\p{M}\\p{N}]--${unspaced.source}]+`, 'gv');
const mostRead = 100_000;

/** The names that stand in a request as whole words, in any case, their parts joined by a blank, `-` or `_`; pure. */
export function mentionedNames(request: string, names: readonly string[]): ReadonlySet<string> {
  const text = plainOf(request.slice(0, mostRead));
  const mentioned = new Set<string>();
  if (text.trim() === '') return mentioned;
  const wanted = new Map<string, string[]>();
  let mostWords = 0;
  for (const name of names) {
    for (const form of formsOf(name)) {
      const words = form.match(word) ?? [];
      if (unspaced.test(form) && text.includes(form)) mentioned.add(name);
      mostWords = Math.max(mostWords, words.length);
      const phrase = words.join(' ');
      const same = wanted.get(phrase);
      if (same === undefined) wanted.set(phrase, [name]);
      else same.push(name);
    }
  }
  for (const phrase of phrasesIn(text, mostWords)) {
    for (const name of wanted.get(phrase) ?? []) mentioned.add(name);
  }
  return mentioned;
}

/** A qualified name is meant by its bare one as well. */
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

/** Every run of up to so many words, joined by one blank, that does not begin or end inside a compound such as `a-b`. */
function* phrasesIn(text: string, mostWords: number): Generator<string> {
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
    open = open.filter(({ from }) => index - from < mostWords);
    if (!isTight(gaps[index + 1] ?? '')) for (const { text: phrase } of open) yield phrase;
  }
}

function isTight(gap: string): boolean {
  return /^[-_:/]$/.test(gap);
}
