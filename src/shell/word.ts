import type { Word, WordPart } from 'unbash';

/** One word of a simple command. */
export interface ShellWord {
  /** As it can stand between blanks without being taken for two words; quotes that change nothing are gone. */
  readonly text: string;
  /** What it comes to; where only the shell that runs it can know that, what is written. */
  readonly value: string;
  /** Its value is known for sure. */
  readonly isLiteral: boolean;
  /** Its text where a shell knows nothing of `$'…'` and `$"…"`, as dash does not; absent when it is the same. */
  readonly elsewhere?: string;
}

/** Takes the quotes off a word. Pure. */
export function readWord({ text, value, parts }: Word): ShellWord {
  const isHome = text.startsWith('~');
  if (parts === undefined) return { text: asWord(escape(value)), value, isLiteral: !isHome };
  const word = {
    text: asWord(parts.map(textOf).join('')),
    value,
    isLiteral: !isHome && parts.every(isKnownPart),
  };
  return parts.some(isOfBash) ? { ...word, elsewhere: parts.map(textElsewhere).join('') } : word;
}

/** A word of which the value is known. */
export function literalWord(value: string): ShellWord {
  return { text: asWord(escape(value)), value, isLiteral: true };
}

/** What is written, as one word: with a backslash before each blank that has none. */
export function joinBlanks(text: string): string {
  return text.replace(/\\[^]|\s/g, (found) => (found.length > 1 ? found : escapeOne(found)));
}

/** Words as one line, in which a blank that is not behind a backslash always ends a word. */
export function textOfWords(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** Whether the value of a part is sure: what a shell makes of $'…' and $"…" depends on the shell and on the language. */
export function isKnownPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}

function textOf(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return escape(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(textOf).join('');
    default:
      return joinBlanks(part.text);
  }
}

function isOfBash({ type }: WordPart): boolean {
  return type === 'AnsiCQuoted' || type === 'LocaleString';
}

function textElsewhere(part: WordPart): string {
  if (!isOfBash(part)) return textOf(part);
  return escape('$') + (part.type === 'AnsiCQuoted' ? escape(part.text.slice(2, -1)) : textOf(part));
}

function asWord(text: string): string {
  if (text === '') return "''";
  return text.startsWith('#') ? `\\${text}` : text;
}

function escape(value: string): string {
  return value.replace(/[\s"'\\$`;&|<>()]/g, escapeOne);
}

// A backslash in front of the end of a line would take it away.
function escapeOne(character: string): string {
  return character === '\n' ? "'\n'" : `\\${character}`;
}
