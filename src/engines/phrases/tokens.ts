/** A word, quoted string or symbol in the text. */
export interface WordToken {
  readonly kind: 'word' | 'quoted' | 'sign';
  /** The text as written, without quotes and with escapes resolved. */
  readonly text: string;
  /** The normalised form used for comparisons: lowercase, with one spelling per operator. */
  readonly low: string;
  /** The zero-based start and end offsets. */
  readonly start: number;
  readonly end: number;
  /** Whether the token starts on a new line. */
  readonly isOnNewLine: boolean;
}

/** Creates the error for a quote that is opened at an offset and never closed. */
type Unclosed = (at: number, quote: string) => Error;

const spaces = /\s+/y;
const sign = /<=|>=|<>|!=|==|[=<>≤≥≠,;:()[\]]/y;
const word = /(?:(?!!=)[^\s=<>≤≥≠,;:()[\]"“”„«»`])+/y;
const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '”': '”',
  '„': '“”',
  '‘': '’',
  '’': '’',
  '«': '»',
};
const spellings: Readonly<Record<string, string>> = {
  '==': '=',
  '<>': '!=',
  '≠': '!=',
  '≤': '<=',
  '≥': '>=',
};

/**
 * Splits text into tokens, without the punctuation at the end of the text. Throws the error of
 * `unclosed` for a quote that is not closed.
 */
export function readTokens(words: string, unclosed: Unclosed): readonly WordToken[] {
  const tokens: WordToken[] = [];
  let at = 0;
  let isOnNewLine = false;
  const add = (kind: WordToken['kind'], text: string, low: string, end: number): void => {
    tokens.push({ kind, text, low, start: at, end, isOnNewLine });
    at = end;
    isOnNewLine = false;
  };
  while (at < words.length) {
    const space = match(spaces, words, at);
    if (space !== '') {
      isOnNewLine ||= space.includes('\n');
      at += space.length;
      continue;
    }
    const closer = closers[words.charAt(at)];
    if (closer !== undefined) {
      const { text, end } = readQuoted(words, at, closer, unclosed);
      add('quoted', text, '', end);
      continue;
    }
    const operator = match(sign, words, at);
    if (operator !== '') add('sign', operator, spellings[operator] ?? operator, at + operator.length);
    else {
      const text = match(word, words, at) || words.charAt(at);
      add('word', text, text.toLowerCase().replaceAll('’', "'"), at + text.length);
    }
  }
  return withoutEndMark(tokens);
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Reads quoted text. A backslash escapes a quote or backslash. A straight quote can also be doubled. */
function readQuoted(
  words: string,
  start: number,
  closer: string,
  unclosed: Unclosed,
): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = start + 1; at < words.length; at++) {
    const char = words.charAt(at);
    const next = words.charAt(at + 1);
    if (char === '\\' && (next === '\\' || closer.includes(next) || next === words[start]) && next !== '') {
      text += next;
      at++;
    } else if (!closer.includes(char)) text += char;
    else if (next === char && (char === '"' || char === "'")) {
      text += char;
      at++;
    } else if ((char === "'" || char === '’') && /[\p{L}\p{N}]/u.test(next)) text += char;
    else return { text, end: at + 1 };
  }
  throw unclosed(start, words.charAt(start));
}

function withoutEndMark(tokens: WordToken[]): readonly WordToken[] {
  const last = tokens.at(-1);
  if (last?.kind !== 'word') return tokens;
  const text = last.text.replace(/[.?!]{1,20}$/, '');
  if (text === last.text) return tokens;
  tokens.pop();
  if (text === '') return withoutEndMark(tokens);
  return [...tokens, { ...last, text, low: last.low.slice(0, text.length), end: last.start + text.length }];
}
