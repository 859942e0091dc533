/** Groups of near-duplicate descriptions. Descriptions are added one by one. */
interface CloneGroups {
  /**
   * Returns the number of the group to which the description belongs. Creates a group if the description is
   * empty, or not similar to the first member of any group.
   */
  add(description: string): number;
}

/** The first member of a group. Only this member is compared with new descriptions. */
interface Leader {
  readonly group: number;
  readonly words: Words;
}

/**
 * The content words of a text as numbers, in ascending order. Each new word gets the next lower number, so
 * rare words usually come first.
 */
type Words = Int32Array;

// The maximum number of groups to compare for each word. The limit prevents quadratic time if many texts
// share words but are not similar enough to form a group.
const maxCompared = 256;

/**
 * Creates an empty set of groups. The content words of each member have a Jaccard index of at least 0.8 with
 * those of the group's first member.
 */
export function createCloneGroups(): CloneGroups {
  const byText = new Map<string, number>();
  const numbers = new Map<string, number>();
  const leaders = new Map<number, Leader[]>();
  let groups = 0;
  const numberOf = (word: string): number => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, -numbers.size);
    return 1 - numbers.size;
  };
  return {
    add(description) {
      const text = description.trim();
      if (text === '') return groups++;
      const known = byText.get(text);
      if (known !== undefined) return known;
      const words = Int32Array.from(contentWords(text), numberOf).sort();
      const rarest = words.subarray(0, words.length - leastShared(words.length) + 1);
      const leader = findLike(words, rarest, leaders) ?? { group: groups++, words };
      if (leader.words === words) index(leader, rarest, leaders);
      byText.set(text, leader.group);
      return leader.group;
    },
  };
}

type Leaders = Map<number, Leader[]>;

/**
 * Returns the first member of a similar group, or undefined if there is no such group. Two similar sets
 * always share at least one of their rarest words.
 */
function findLike(words: Words, rarest: Words, leaders: Leaders): Leader | undefined {
  for (const word of rarest) {
    const candidates = leaders.get(word) ?? [];
    for (let at = candidates.length - 1; at >= Math.max(0, candidates.length - maxCompared); at--) {
      const leader = candidates[at];
      if (leader !== undefined && isAlike(leader.words, words)) return leader;
    }
  }
  return undefined;
}

function index(leader: Leader, rarest: Words, leaders: Leaders): void {
  for (const word of rarest) {
    const before = leaders.get(word);
    if (before === undefined) leaders.set(word, [leader]);
    else before.push(leader);
  }
}

/** Returns the number of words that a set of this size must share with a similar set. */
function leastShared(size: number): number {
  return Math.ceil((4 * size) / 5);
}

/** Whether two sets are similar: |A ∩ B| / |A ∪ B| ≥ 4/5. */
function isAlike(a: Words, b: Words): boolean {
  if (5 * Math.min(a.length, b.length) < 4 * Math.max(a.length, b.length)) return false;
  // The number of words that may be in only one of the sets. Derived from 9 × shared ≥ 4 × (|A| + |B|).
  let strangers = Math.floor((a.length + b.length) / 9);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [x = 0, y = 0] = [a[i], b[j]];
    if (x !== y && --strangers < 0) return false;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return strangers >= a.length - i + (b.length - j);
}

// English words that say nothing about a skill.
const fillers = new Set(
  (
    'a about all also an and any are as at be both but by can do does each else for from get has have how i if in ' +
    'into is it its let may me more most my need no not of on one only or other our out over so such than that the ' +
    'their them then there these they this those to up us use used uses using via was we what when where whether ' +
    'which while who will with within without would you your'
  ).split(' '),
);
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Returns the content words of a text in lower case. Omits filler words and numbers. Text in a script without
 * spaces yields pairs of characters.
 */
export function contentWords(text: string): ReadonlySet<string> {
  const isAscii = /^[\t-\r\x20-\x7e]*$/.test(text);
  const plain = isAscii ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
  const number = isAscii ? /^[0-9]+$/ : /^\p{N}+$/u;
  const words = new Set<string>();
  for (const word of plain.match(isAscii ? /[a-z0-9]+/g : /[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    if (fillers.has(word) || number.test(word)) continue;
    if (!isAscii && unspaced.test(word)) for (const pair of pairsOf(word)) words.add(pair);
    else words.add(word);
  }
  return words;
}

/**
 * Returns each pair of adjacent characters in a word. A word with a single character is returned unchanged.
 */
export function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word);
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}
