import type { Word, WordPart } from 'unbash';

/** One word of a simple command. */
export interface ShellWord {
  /** The word in escaped form, without redundant quotes. A shell reads it as one word. */
  readonly text: string;
  /** The word's value, or its source text if the value is known only at run time. */
  readonly value: string;
  /** Whether the word's value is known for certain. */
  readonly isLiteral: boolean;
  /**
   * The word's text in a shell that does not support `$'…'` and `$"…"`, such as dash. Absent if the text is
   * the same.
   */
  readonly elsewhere?: string;
}

/** Converts a parsed word to its unquoted form. Pure. */
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

/** Creates a word with a known value. */
export function literalWord(value: string): ShellWord {
  return { text: asWord(escape(value)), value, isLiteral: true };
}

/** Escapes the whitespace in a string, so that a shell reads the string as one word. */
export function escapeWhitespace(text: string): string {
  return text.replace(/\\[^]|\s/g, (found) => (found.length > 1 ? found : escapeOne(found)));
}

/** Joins words into one line in which only unescaped spaces separate words. */
export function textOfWords(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

/**
 * Returns whether the value of this part of a word is certain. The value of $'…' and $"…" depends on the
 * shell and the language.
 */
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
      return escapeWhitespace(part.text);
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

// Escapes one character. A backslash cannot escape a line break, because the shell would remove both.
function escapeOne(character: string): string {
  return character === '\n' ? "'\n'" : `\\${character}`;
}
