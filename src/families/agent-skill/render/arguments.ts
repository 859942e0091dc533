import { isJsonObject, type Json } from '../../../core/index.ts';

/** The arguments of one use of a skill, in each form that a placeholder can ask for. */
export interface ArgumentValues {
  /** All of them. */
  readonly whole: string;
  /** There is nothing to say. */
  readonly isBlank: boolean;
  /** By position; undefined where none was given. */
  readonly positions: readonly (string | undefined)[];
  /** Declared names, empty where none was given, and the keys of an object. */
  readonly names: ReadonlyMap<string, string>;
  readonly declared: ReadonlySet<string>;
  /** In UTF-16 units; no longer one need be looked for. */
  readonly longestName: number;
}

/** Reads arguments as placeholders see them. Pure. */
export function argumentValues(args: Json | undefined, declared: readonly string[]): ArgumentValues {
  const positions = positionsOf(args, declared);
  const names = new Map<string, string>();
  for (const [index, name] of declared.entries()) {
    if (!names.has(name)) names.set(name, positions[index] ?? ''); // of one that is declared twice the first counts
  }
  if (isJsonObject(args)) for (const [key, value] of Object.entries(args)) names.set(key, textOf(value));
  const whole = textOf(args ?? null);
  return {
    whole,
    isBlank: whole.trim() === '' || whole === '{}' || whole === '[]',
    positions,
    names,
    declared: new Set(declared),
    longestName: [...names.keys()].reduce((most, name) => Math.max(most, name.length), 'ARGUMENTS'.length),
  };
}

function positionsOf(args: Json | undefined, declared: readonly string[]): readonly (string | undefined)[] {
  if (args === undefined || args === null) return [];
  if (typeof args === 'string') return splitWords(args);
  if (Array.isArray(args)) return (args as readonly Json[]).map(textOf);
  if (!isJsonObject(args)) return [textOf(args)];
  const keys = declared.length > 0 ? declared : Object.keys(args);
  return keys.map((key) => (Object.hasOwn(args, key) ? textOf(args[key] ?? null) : undefined));
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

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
