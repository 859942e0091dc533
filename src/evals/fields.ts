import { posix } from 'node:path';
import { didYouMean, isJsonObject, type Json, type JsonObject } from '../core/index.ts';

/** The path below the workspace that a member is named by; what leads out of it is wrong. */
export function readPath(part: EvalField): string {
  const path = posix.normalize(part.key);
  if (posix.isAbsolute(path) || path === '.' || path === '..' || path.startsWith('../'))
    part.wrong('must be a path inside of the workspace.');
  return path;
}

/** A part of a file of cases, with what it is called there. */
export interface EvalField {
  readonly value: Json;
  /** What it is named by in what is around it; empty for the whole. */
  readonly key: string;
  /** Notes that it is wrong; the file is not used then, so whatever follows may be made up. */
  wrong(message: string, hint?: string): void;
  /** A member, or an item; its value is null where there is none. */
  at(key: string | number): EvalField;
}

/** The object that a part must be, with no other members than these. */
export function objectIn(part: EvalField, known: readonly string[]): JsonObject | undefined {
  const { value } = part;
  if (!isJsonObject(value)) {
    part.wrong(`must be an object with ${known.join(', ')}.`);
    return undefined;
  }
  for (const key of Object.keys(value))
    if (!known.includes(key))
      part.at(key).wrong('is not known.', didYouMean(key, known) ?? `Known are ${known.join(', ')}.`);
  return value;
}

/** The members of an object whose names are free. */
export function membersIn(part: EvalField): readonly EvalField[] {
  const { value } = part;
  if (isJsonObject(value)) return Object.keys(value).map((key) => part.at(key));
  part.wrong('must be an object.');
  return [];
}

/** The items of the list that a part must be. */
export function itemsIn(part: EvalField): readonly EvalField[] {
  const { value } = part;
  if (Array.isArray(value)) return value.map((_, index) => part.at(index));
  part.wrong('must be a list.');
  return [];
}

/** The text that a part must be. */
export function textIn(part: EvalField): string {
  if (typeof part.value === 'string') return part.value;
  part.wrong('must be text.', 'Put it in quotes.');
  return '';
}

/** The texts that a part must be: a list, or a single one. */
export function textsIn(part: EvalField): readonly string[] {
  return typeof part.value === 'string' ? [part.value] : itemsIn(part).map(textIn);
}

/** The number above zero that a part must be. */
export function amountIn(part: EvalField): number {
  if (typeof part.value === 'number' && part.value > 0) return part.value;
  part.wrong('must be a number above zero.');
  return 1;
}

/** What `read` makes of a member, where there is one. */
export function memberOf<Value>(
  part: EvalField,
  key: string,
  read: (member: EvalField) => Value | undefined,
): Value | undefined {
  return isJsonObject(part.value) && Object.hasOwn(part.value, key) ? read(part.at(key)) : undefined;
}
