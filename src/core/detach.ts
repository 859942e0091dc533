import type { Json } from './json.ts';

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
