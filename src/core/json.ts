/**
 * Formats a value as text for users, models and patterns. Strings are unchanged; all other values become
 * JSON.
 */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Freezes a value and all values nested in it. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object') freeze(inner);
  return value;
}

/**
 * Copies a value so that its strings share no memory with larger strings. Otherwise, a short substring would
 * keep the text of an entire file in memory.
 */
export function detach<Value>(value: Value): Value {
  return copyOf(value as Json) as Value;
}

function copyOf(value: Json): Json {
  // V8 always copies strings shorter than 13 characters.
  if (typeof value === 'string') return value.length < 13 ? value : ` ${value}`.slice(1);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => copyOf(item));
  const copy: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = copyOf(inner);
  return copy;
}

/** A value that survives a round trip through JSON, and can therefore be logged, cached and sent. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. Its keys are untrusted, so read only known keys or use `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a JSON value is an object and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that could change an object's prototype. They are never copied from a file. */
export const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The maximum nesting depth of JSON values. */
export const deepestJson = 64;

/**
 * Parses JSON text and drops unsafe keys. The result can be converted back to JSON. Returns undefined if the
 * text is invalid or nested too deeply.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return toSafeJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Drops unsafe keys from a JSON parser's result, so that the value can be converted back to JSON. Throws a
 * RangeError if the value is nested too deeply or contains a number that is out of range.
 */
export function toSafeJson(value: unknown, depth = deepestJson): Json {
  if (depth === 0) throw new RangeError('nested too deeply');
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError('number out of range');
    return value === 0 ? 0 : value; // JSON text does not preserve minus zero.
  }
  if (Array.isArray(value)) return value.map((item) => toSafeJson(item, depth - 1));
  if (!isJsonObject(value)) return value as Json;
  const entries = Object.entries(value).filter(([key]) => !unsafeKeys.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, toSafeJson(inner, depth - 1)]));
}
