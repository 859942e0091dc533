import type { Json, JsonObject } from './json.ts';

/** `{key: value}` when there is a value, nothing otherwise: absent members stay absent. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/** What a map holds under a key, made where it holds nothing; of more than so many, the one that was asked for longest ago goes. */
export function keepLatest<Key, Value>(
  kept: Map<Key, Value>,
  key: Key,
  most: number,
  make: () => Value,
): Value {
  const before = kept.get(key);
  const value = before === undefined ? make() : before;
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return value;
}

/** An object with the same keys and other values. */
export function mapValues(object: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** The members of something that may be no object at all, each of them still to be checked. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
