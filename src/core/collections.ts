import type { Json, JsonObject } from './json.ts';

/**
 * Returns `{key: value}`, or `{}` if the value is undefined. Spreading the result omits properties that have
 * no value.
 */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/**
 * Returns the value for a key, creating it if it is missing. If the cache then has more than `most` entries,
 * removes the least recently used one.
 */
export function getOrCreate<Key, Value>(
  cache: Map<Key, Value>,
  key: Key,
  most: number,
  make: () => Value,
): Value {
  const before = cache.get(key);
  const value = before === undefined ? make() : before;
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > most && oldest !== undefined) cache.delete(oldest);
  return value;
}

/**
 * Returns a function that computes a value on its first call. Use it for patterns with Unicode properties,
 * which are slow to create.
 */
export function lazy<Value>(make: () => Value): () => Value {
  let cached: { readonly value: Value } | undefined;
  return () => (cached ??= { value: make() }).value;
}

/** Returns an object with the same keys and mapped values. */
export function mapValues(object: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/**
 * Returns an object typed as a record, or an empty record for any other value. The properties are not
 * validated.
 */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Returns the number of leading items that two lists share. Fast, because conversations are long. */
export function countShared(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count += 1;
  return count;
}
