/** A value for people, models and patterns: text as it is, everything else as JSON. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value and everything in it that nobody can change any more. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object') freeze(inner);
  return value;
}

/** A copy whose strings keep no larger text alive: a piece of a file otherwise holds the whole file in memory. */
export function detach<Value>(value: Value): Value {
  return copyOf(value as Json) as Value;
}

function copyOf(value: Json): Json {
  if (typeof value === 'string') return value.length < 13 ? value : ` ${value}`.slice(1); // shorter ones are copies already
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => copyOf(item));
  const copy: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = copyOf(inner);
  return copy;
}

/** A value that survives JSON, and therefore the log, a cache and the wire. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object; its keys are data, so read them through `Object.hasOwn` or a known name. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a JSON value is an object, arrays excluded. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that would reach a prototype; they are never taken over from a file. */
export const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** How many values may be nested in each other. */
export const deepestJson = 64;

/** JSON text as a value that survives JSON again, without unsafe keys; undefined when it is none or nests too deep. */
export function parseJson(text: string): Json | undefined {
  try {
    return toSafeJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What a JSON parser returned, as a value that survives JSON again, without unsafe keys. Throws a RangeError when it is nested too deeply or has a number that is out of range. */
export function toSafeJson(value: unknown, depth = deepestJson): Json {
  if (depth === 0) throw new RangeError('nested too deep');
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError('number out of range');
    return value === 0 ? 0 : value; // minus zero does not survive JSON
  }
  if (Array.isArray(value)) return value.map((item) => toSafeJson(item, depth - 1));
  if (!isJsonObject(value)) return value as Json;
  const entries = Object.entries(value).filter(([key]) => !unsafeKeys.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, toSafeJson(inner, depth - 1)]));
}
