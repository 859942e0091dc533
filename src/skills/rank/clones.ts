/** Sorts descriptions into groups of near-duplicates, one after the other. */
interface CloneGroups {
  /** The number of the group that the description belongs to; a new one when it is like none before, or empty. */
  add(description: string): number;
}

/** The first of its group, to which all others are compared. */
interface Leader {
  readonly group: number;
  readonly words: Words;
}

/** Content words by number, in rising order. A new word gets the lowest number yet, so that rare ones tend to come first. */
type Words = Int32Array;

// The latest leaders with a word that are compared: without a cap, texts just below the threshold cost squares.
const mostCompared = 256;

/** Groups in which every member shares four fifths of the content words with the first: a Jaccard index of at least 0.8. */
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

/** Two sets that are alike share one of the words that come first in any order that both keep. */
function findLike(words: Words, rarest: Words, leaders: Leaders): Leader | undefined {
  for (const word of rarest) {
    const candidates = leaders.get(word) ?? [];
    for (let at = candidates.length - 1; at >= Math.max(0, candidates.length - mostCompared); at--) {
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

/** How many words of a set any set that is like it has. */
function leastShared(size: number): number {
  return Math.ceil((4 * size) / 5);
}

/** Whether |A ∩ B| / |A ∪ B| ≥ 4/5. */
function isAlike(a: Words, b: Words): boolean {
  if (5 * Math.min(a.length, b.length) < 4 * Math.max(a.length, b.length)) return false;
  let strangers = Math.floor((a.length + b.length) / 9); // 9 × shared ≥ 4 × (|A| + |B|) allows so many on both sides
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

/** The words that carry the meaning of a text: each once, in lower case, without fillers and bare numbers; pairs of letters where no blanks are written. */
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

/** The letters of a word two by two, as they follow each other; a single letter is itself. */
export function pairsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`);
}
