const blank = /\s/;

/** The words of a string as a shell would take them: quotes keep blanks, an empty pair is a word; never fails. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === quote) {
      quote = undefined;
    } else if (character === '\\' && escapes(quote, next)) {
      word = (word ?? '') + next;
      at++;
    } else if (quote !== undefined) {
      word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (blank.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === undefined ? words : [...words, word];
}

function escapes(quote: '"' | "'" | undefined, next: string): boolean {
  if (quote === undefined) return next !== '';
  return quote === '"' && (next === '"' || next === '\\');
}
