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
