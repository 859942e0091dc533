import { AgentError, isJsonObject, unsafeKeys, type Json, type JsonObject } from '../../core/index.ts';

/**
 * Splits a key such as `limits.depth` into its names. A name that contains a dot must be quoted. Throws
 * `usage.bad-input` for an invalid key.
 */
export function keyPath(key: string): readonly string[] {
  const names = [...key.matchAll(/(?:^|\.)(?:"([^"]+)"|([^."]+))/gy)];
  const isWhole = names.reduce((length, [part]) => length + part.length, 0) === key.length;
  const path = names.map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (isWhole && path.length > 0 && !path.some((name) => unsafeKeys.has(name))) return path;
  throw new AgentError('usage.bad-input', `"${key}" is not a valid settings key.`, {
    hint: 'Separate names with dots, and quote a name that contains dots: prices."openai/gpt-4.1".input',
  });
}

/** Joins names into a key. The inverse of `keyPath`. */
export function keyOf(path: readonly string[]): string {
  return path.map((name) => (/^[^."]+$/.test(name) ? name : `"${name}"`)).join('.');
}

/** Returns the value at a path, or undefined if there is none. */
export function valueAt(values: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    values,
  );
}

/** Returns a copy with the value set at a path. Plain values along the path are replaced with objects. */
export function withKey(values: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return values;
  const below = values[name];
  const inner = rest.length === 0 ? value : withKey(isJsonObject(below) ? below : {}, rest, value);
  return { ...values, [name]: inner };
}

/** Returns a copy without the value at a path. */
export function withoutKey(values: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(values, name)) return values;
  const { [name]: below, ...others } = values;
  if (rest.length === 0) return others;
  return isJsonObject(below) ? { ...values, [name]: withoutKey(below, rest) } : values;
}
