import { stemmer } from 'stemmer';
import { detach, lazy } from '../../core/index.ts';
import { pairsOf } from './clones.ts';

const asciiWords = /[a-z0-9+#]+(?:[-_./][a-z0-9+#]+)*/gi;
const anyWords = lazy(() => /[\p{L}\p{M}\p{N}+#]+(?:[-_./][\p{L}\p{M}\p{N}+#]+)*/gu);
const withoutSpaces = lazy(
  () => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u,
);
// Matches the positions where the script changes, so that `PDF文件` becomes two words.
const otherScript = /(?<=[a-z0-9])(?=[^a-z0-9])|(?<=[^a-z0-9])(?=[a-z0-9])/i;
const longestWord = 40;
const maxRemembered = 50_000;
const remembered = new Map<string, readonly string[]>();

/**
 * Returns the terms of a text in order. Terms are stemmed and in lower case, without stop words. A compound
 * (`csv_to-json`, `signUp`) yields its parts. A short compound also yields its joined form. Text in a script
 * without spaces yields pairs of characters.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap(termsIn);
}

/** Returns the words and compounds in a text as written. */
export function wordsOf(text: string): readonly string[] {
  // eslint-disable-next-line no-control-regex -- it matches ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.match(asciiWords) ?? [];
  return text.normalize('NFKC').match(anyWords()) ?? [];
}

/** Returns the terms of a word or compound. */
export function termsIn(word: string): readonly string[] {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  // Copy the terms, because a slice of a string would keep the entire text in memory. Very long words are not
  // cached, because they are unlikely to occur again.
  const terms = split(word).map(detach);
  if (word.length > 2 * longestWord) return terms;
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(detach(word), terms);
  return terms;
}

function split(word: string): readonly string[] {
  const parts = word
    .split(/[-_./]+/)
    .flatMap((part) => part.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .flatMap((part) => (withoutSpaces().test(part) ? part.split(otherScript) : part))
    .map((part) => part.toLowerCase())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  const joined = parts.join('');
  const isWord = parts.length === 2 || (parts.length > 2 && joined.length <= 12);
  return [...parts, ...(isWord && /^[a-z0-9+#]+$/.test(joined) ? [joined] : [])].flatMap(termsOfWord);
}

function termsOfWord(word: string): readonly string[] {
  if (withoutSpaces().test(word)) return pairsOf(word);
  if (stopWords.has(word) || word.length > longestWord) return [];
  // Drop single letters except C and R, which are programming languages.
  if (word.length === 1 && !/[0-9cr]/.test(word)) return [];
  return [/^[a-z]+$/.test(word) ? stemmer(word) : word];
}

/**
 * The term of the words "skill" and "skills". It only counts if the collection has a skill whose name contains
 * it, because otherwise it says nothing: every skill is a skill.
 */
export const skillTerm = 'skill';

/**
 * English words that say nothing about the purpose of a skill, and words that are common to all requests and
 * skills.
 */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both ' +
    'but by can could d did do does doing don down during each else etc few for from further get gets got had has ' +
    'have having he help her here hers him his how i if in into is it its itself just let like ll m make me might ' +
    'more most must my myself need needs no nor not now of off on once only or other our ours out over own please ' +
    're s same shall she should so some such t than that the their theirs them then there these they ' +
    'this those through to too under until up us use used user uses using ve very want wants was we were what when ' +
    'where whether which while who whom why will with within without would you your yours'
  ).split(' '),
);
