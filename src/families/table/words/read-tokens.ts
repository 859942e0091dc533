import { faultAt } from './stop.ts';
import type { WordToken } from './token.ts';

const blank = /\s+/y;
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

/** The pieces of a text, in order; marks at the end of the last sentence are no part of it. Throws a fault for a quote that is not closed. */
export function readTokens(words: string): readonly WordToken[] {
  const tokens: WordToken[] = [];
  let at = 0;
  let isOnNewLine = false;
  const add = (kind: WordToken['kind'], text: string, low: string, end: number): void => {
    tokens.push({ kind, text, low, start: at, end, isOnNewLine });
    at = end;
    isOnNewLine = false;
  };
  while (at < words.length) {
    const space = match(blank, words, at);
    if (space !== '') {
      isOnNewLine ||= space.includes('\n');
      at += space.length;
      continue;
    }
    const closer = closers[words.charAt(at)];
    if (closer !== undefined) {
      const { text, end } = readQuoted(words, at, closer);
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

/** A backslash takes away the meaning of a quote or of itself, as does writing a straight quote twice. */
function readQuoted(
  words: string,
  start: number,
  closer: string,
): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = start + 1; at < words.length; at++) {
    const letter = words.charAt(at);
    const next = words.charAt(at + 1);
    if (letter === '\\' && (next === '\\' || closer.includes(next) || next === words[start]) && next !== '') {
      text += next;
      at++;
    } else if (!closer.includes(letter)) text += letter;
    else if (next === letter && (letter === '"' || letter === "'")) {
      text += letter;
      at++;
    } else if ((letter === "'" || letter === '’') && /[\p{L}\p{N}]/u.test(next)) text += letter;
    else return { text, end: at + 1 };
  }
  throw faultAt(start, `The quote ${words.charAt(start)} is not closed.`, 'Close it, or leave it away.');
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
