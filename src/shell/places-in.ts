import type { ParsedScript, Word, WordPart } from 'unbash';
import type { Marks } from './marks.ts';
import type { Quotes } from './quote-for.ts';

/** What of a word is plain text, and so can take values. */
export interface WordPlaces {
  /** By the number of the mark. */
  readonly places: ReadonlyMap<number, Quotes>;
  /** Its text up to the first thing that only the shell can know. */
  readonly leading: string;
  /** The scripts whose output is part of it. */
  readonly scripts: readonly ParsedScript[];
}

/** Finds the marks in a word that are nothing but text to the shell. Pure; throws when the word cannot be read. */
export function placesIn(word: Word, marks: Marks): WordPlaces {
  const places = new Map<number, Quotes>();
  const scripts: ParsedScript[] = [];
  const place = (text: string, quotes: Quotes): void => {
    if (!hasSyntax(text, quotes)) for (const index of marks.in(text)) places.set(index, quotes);
  };
  if (word.parts === undefined) place(word.text, 'none');
  for (const part of word.parts ?? []) {
    if (part.type === 'Literal') place(part.text, 'none');
    if (part.type === 'SingleQuoted') place(part.text, 'single');
    if (part.type !== 'DoubleQuoted') scripts.push(...scriptIn(part));
    for (const inner of part.type === 'DoubleQuoted' ? part.parts : []) {
      if (inner.type === 'Literal') place(inner.text, 'double');
      scripts.push(...scriptIn(inner));
    }
  }
  return { places, leading: leadingText(word), scripts };
}

/** Whether a text that was read as plain holds more than that, as what touches the end of a list of values does. */
function hasSyntax(text: string, quotes: Quotes): boolean {
  if (quotes === 'single') return false;
  return (quotes === 'double' ? /["`]/ : /["'`$()<>|&;\s]/).test(text.replace(/\\[^]/g, ''));
}

/** Not between backticks: bash looks for lists in braces there as if quotes inside ended the quotes around them. */
function scriptIn(part: WordPart): readonly ParsedScript[] {
  if (part.type !== 'CommandExpansion' && part.type !== 'ProcessSubstitution') return [];
  if (part.script === undefined) throw new SyntaxError('a substitution cannot be read');
  return part.text.startsWith('`') ? [] : [part.script];
}

function leadingText({ value, parts }: Word): string {
  if (parts === undefined) return value;
  let text = '';
  const inner = parts.flatMap<WordPart>((part) => (part.type === 'DoubleQuoted' ? part.parts : [part]));
  for (const part of inner) {
    if (part.type !== 'Literal' && part.type !== 'SingleQuoted') return text;
    text += part.value;
  }
  return text;
}
