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
