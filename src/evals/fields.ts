import { posix } from 'node:path';
import { didYouMean, isJsonObject, type Json, type JsonObject } from '../core/index.ts';

/**
 * Reads the key of a field as a path in the workspace. Records an error if the path leads outside the
 * workspace.
 */
export function readPath(part: EvalField): string {
  const path = posix.normalize(part.key);
  if (posix.isAbsolute(path) || path === '.' || path === '..' || path.startsWith('../'))
    part.wrong('must be a path inside the workspace.');
  return path;
}

/** A value in an eval file: a field of an object, an item of a list, or the entire document. */
export interface EvalField {
  readonly value: Json;
  /** The value's key in its parent. Empty for the entire document. */
  readonly key: string;
  /** Records an error. After this, the reader can return any value, because the entire file is rejected. */
  wrong(message: string, hint?: string): void;
  /**
   * Records that the field has a name from the previous release, which is still accepted. `current` is the
   * new name.
   */
  renamed(current: string): void;
  /** Returns a nested field or item. If it does not exist, its value is null. */
  at(key: string | number): EvalField;
}

/** Reads the value as an object. Records an error for each unknown field. */
export function objectIn(part: EvalField, known: readonly string[]): JsonObject | undefined {
  const { value } = part;
  if (!isJsonObject(value)) {
    part.wrong(`must be an object. Its possible fields are: ${known.join(', ')}.`);
    return undefined;
  }
  for (const key of Object.keys(value))
    if (!known.includes(key))
      part.at(key).wrong('is unknown.', didYouMean(key, known) ?? `Use one of ${known.join(', ')}.`);
  return value;
}

/** Reads the value as an object with arbitrary keys and returns its fields. */
export function membersIn(part: EvalField): readonly EvalField[] {
  const { value } = part;
  if (isJsonObject(value)) return Object.keys(value).map((key) => part.at(key));
  part.wrong('must be an object.');
  return [];
}

/** Reads the value as a list and returns its items. */
export function itemsIn(part: EvalField): readonly EvalField[] {
  const { value } = part;
  if (Array.isArray(value)) return value.map((_, index) => part.at(index));
  part.wrong('must be a list.');
  return [];
}

/** Reads the value as a string. */
export function textIn(part: EvalField): string {
  if (typeof part.value === 'string') return part.value;
  part.wrong('must be text.', 'Put the value in quotes.');
  return '';
}

/** Reads the value as a list of strings. A single string is also accepted. */
export function textsIn(part: EvalField): readonly string[] {
  return typeof part.value === 'string' ? [part.value] : itemsIn(part).map(textIn);
}

/** Reads the value as a number greater than zero. */
export function amountIn(part: EvalField): number {
  if (typeof part.value === 'number' && part.value > 0) return part.value;
  part.wrong('must be a number greater than zero.');
  return 1;
}

/** Reads a field with `read` and returns the result. Returns undefined if the field does not exist. */
export function memberOf<Value>(
  part: EvalField,
  key: string,
  read: (member: EvalField) => Value | undefined,
): Value | undefined {
  return isJsonObject(part.value) && Object.hasOwn(part.value, key) ? read(part.at(key)) : undefined;
}
