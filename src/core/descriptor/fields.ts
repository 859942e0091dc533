import type { Frontmatter } from './frontmatter.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { didYouMean, normaliseKey } from '../names.ts';

/** A reader of frontmatter fields by name; a value of the wrong shape becomes a finding and counts as absent, but a list as empty. */
export interface Fields {
  has(key: string): boolean;
  raw(key: string): Json | undefined;
  text(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  /** A YAML list, or text split on white space and commas outside brackets and quotes. */
  list(key: string): readonly string[] | undefined;
  map(key: string): JsonObject | undefined;
  wholeNumber(key: string): number | undefined;
  /** One of the given words, compared without case. */
  word<Word extends string>(key: string, words: readonly Word[]): Word | undefined;
}

/** Reads the fields of a head; findings go to `issues`, each once however often a field is read. */
export function fieldsOf(head: Frontmatter, issues: Issue[]): Fields {
  const reported = new Set<string>();
  const report = (key: string, expected: string, lost = 'it was left out'): void => {
    const message = `"${key}" should be ${expected}; ${lost}.`;
    if (reported.has(message)) return;
    reported.add(message);
    const line = head.lineOf(key);
    issues.push({ level: 'warning', code: 'field.type', message, ...(line === undefined ? {} : { line }) });
  };
  const get = (key: string): Json | undefined => head.fields.get(key) ?? head.fields.get(normaliseKey(key));
  return {
    has: (key) => get(key) !== undefined,
    raw: get,
    text(key) {
      const value = get(key);
      if (value === undefined || typeof value === 'string') return value;
      report(key, 'text');
      return undefined;
    },
    flag(key) {
      const value = get(key);
      const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
      if (['true', 'yes', 'on', '1'].includes(word)) return true;
      if (['false', 'no', 'off', '0'].includes(word)) return false;
      if (value !== undefined) report(key, 'true or false');
      return undefined;
    },
    list(key) {
      const value = get(key);
      if (value === undefined) return undefined;
      if (typeof value === 'string') return splitWords(value);
      const items = Array.isArray(value) ? value.filter((item) => item !== null) : [value];
      const words = items.filter((item) => typeof item === 'string');
      if (words.length < items.length) report(key, 'a list of words', 'what is none was left out');
      return words.map((word) => word.trim()).filter(Boolean);
    },
    map(key) {
      const value = get(key);
      if (value === undefined || isJsonObject(value)) return value;
      report(key, 'a map');
      return undefined;
    },
    wholeNumber(key) {
      const value = get(key);
      if (typeof value === 'string' && /^\d{1,15}$/.test(value.trim())) return Number(value);
      if (value !== undefined) report(key, 'a whole number');
      return undefined;
    },
    word(key, words) {
      const value = get(key);
      const written = typeof value === 'string' ? value.trim().toLowerCase() : '';
      const found = words.find((word) => word.toLowerCase() === written);
      if (value !== undefined && found === undefined)
        report(key, words.map((word) => `"${word}"`).join(' or '));
      return found;
    },
  };
}

/** Findings for the fields of a head that nobody reads. */
export function unknownFields(head: Frontmatter, known: readonly string[]): readonly Issue[] {
  const normal = new Set(known.map(normaliseKey));
  return head.keys
    .filter((key) => !normal.has(normaliseKey(key)))
    .map((key) => {
      const line = head.lineOf(key);
      return {
        level: 'warning',
        code: 'field.unknown',
        message: `"${key}" is not a known field and is not read.`,
        ...(line === undefined ? {} : { line }),
        hint: didYouMean(normaliseKey(key), normal) ?? 'Put it under "metadata".',
        standard: true,
      };
    });
}

/** A finding when a list whose absence and emptiness differ is written without a value. */
export function blankList(head: Frontmatter, key: string): readonly Issue[] {
  const wanted = normaliseKey(key);
  if (head.fields.has(wanted) || !head.keys.some((written) => normaliseKey(written) === wanted)) return [];
  const line = head.lineOf(key);
  return [
    {
      level: 'warning',
      code: 'field.blank',
      message: `"${key}" has no value and counts as absent.`,
      ...(line === undefined ? {} : { line }),
      hint: 'Write [] to allow none, or remove the line.',
    },
  ];
}

/** Words separated by white space or commas; `Bash(git add *)`, `*.{ts,js}` and quoted words stay whole. */
export function splitWords(text: string): readonly string[] {
  const list = withoutBrackets(text.trim());
  const words: string[] = [];
  let word = '';
  let depth = 0;
  let quote = '';
  for (const [index, letter] of list.split('').entries()) {
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (depth === 0 && word === '' && /["']/.test(letter) && list.includes(letter, index + 1))
      quote = letter;
    else if (letter === '(' || letter === '{') depth++;
    else if (letter === ')' || letter === '}') depth = Math.max(0, depth - 1);
    if (quote === '' && depth === 0 && /[\s,]/.test(letter)) {
      words.push(word);
      word = '';
    } else word += letter;
  }
  return [...words, word].map((item) => item.replace(/^(["'])(.*)\1$/s, '$2')).filter(Boolean);
}

function withoutBrackets(text: string): string {
  const inside = text.slice(1, -1);
  return text.startsWith('[') && text.endsWith(']') && !/[[\]]/.test(inside) ? inside : text;
}
