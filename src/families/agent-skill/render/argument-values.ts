import { isJsonObject, type Json } from '../../../core/json.ts';
import { splitWords } from './split-words.ts';

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
