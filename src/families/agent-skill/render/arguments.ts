import { isJsonObject, type Json } from '../../../core/index.ts';

/** The arguments for one use of a skill, in every form that placeholders can refer to. */
export interface ArgumentValues {
  /** All arguments as one string. */
  readonly whole: string;
  /** Whether there are no arguments. Whitespace, `{}` and `[]` are treated as no arguments. */
  readonly isEmpty: boolean;
  /** The arguments by position. Undefined for a missing argument. */
  readonly positions: readonly (string | undefined)[];
  /**
   * The arguments keyed by declared name. A missing argument is an empty string. If the arguments are an
   * object, all its keys are included.
   */
  readonly names: ReadonlyMap<string, string>;
  readonly declared: ReadonlySet<string>;
  /** The length of the longest argument name in UTF-16 units. Placeholder names cannot be longer. */
  readonly longestName: number;
}

/** Converts arguments to the forms that placeholders use. Pure. */
export function argumentValues(args: Json | undefined, declared: readonly string[]): ArgumentValues {
  const positions = positionsOf(args, declared);
  const names = new Map<string, string>();
  for (const [index, name] of declared.entries()) {
    // If a name is declared twice, it refers to the first of its positions.
    if (!names.has(name)) names.set(name, positions[index] ?? '');
  }
  if (isJsonObject(args)) for (const [key, value] of Object.entries(args)) names.set(key, textOf(value));
  const whole = textOf(args ?? null);
  return {
    whole,
    isEmpty: whole.trim() === '' || whole === '{}' || whole === '[]',
    positions,
    names,
    declared: new Set(declared),
    longestName: [...names.keys()].reduce((most, name) => Math.max(most, name.length), 'ARGUMENTS'.length),
  };
}

function positionsOf(args: Json | undefined, declared: readonly string[]): readonly (string | undefined)[] {
  if (args === undefined || args === null) return [];
  if (typeof args === 'string') return splitArguments(args);
  if (Array.isArray(args)) return (args as readonly Json[]).map(textOf);
  if (!isJsonObject(args)) return [textOf(args)];
  const keys = declared.length > 0 ? declared : Object.keys(args);
  return keys.map((key) => (Object.hasOwn(args, key) ? textOf(args[key] ?? null) : undefined));
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

const whitespace = /[ \t\n\v\f\r]/; // As in a shell, no-break spaces do not separate arguments.

/**
 * Splits text into arguments as a shell does. Quotes preserve spaces, and a pair of empty quotes is an empty
 * argument. Never throws.
 */
export function splitArguments(text: string): readonly string[] {
  const args: string[] = [];
  let current: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === quote) {
      quote = undefined;
    } else if (character === '\\' && escapes(quote, next)) {
      current = (current ?? '') + next;
      at++;
    } else if (quote !== undefined) {
      current = (current ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (whitespace.test(character)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else {
      current = (current ?? '') + character;
    }
  }
  return current === undefined ? args : [...args, current];
}

function escapes(quote: '"' | "'" | undefined, next: string): boolean {
  if (quote === undefined) return next !== '';
  return quote === '"' && (next === '"' || next === '\\');
}
