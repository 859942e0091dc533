import { AgentError, isJsonObject, unsafeKeys, type Json, type JsonObject } from '../../core/index.ts';

/** The names in a key such as `limits.depth`; one that has dots itself stands in quotes. Throws `usage.bad-input`. */
export function keyPath(key: string): readonly string[] {
  const names = [...key.matchAll(/(?:^|\.)(?:"([^"]+)"|([^."]+))/gy)];
  const isWhole = names.reduce((length, [part]) => length + part.length, 0) === key.length;
  const path = names.map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (isWhole && path.length > 0 && !path.some((name) => unsafeKeys.has(name))) return path;
  throw new AgentError('usage.bad-input', `"${key}" is not the key of a setting.`, {
    hint: 'Write names with dots between them, and quotes around a name with dots: prices."openai/gpt-4.1".input',
  });
}

/** A path of names as a key, the inverse of reading one. */
export function keyOf(path: readonly string[]): string {
  return path.map((name) => (/^[^."]+$/.test(name) ? name : `"${name}"`)).join('.');
}

/** What lies at the end of a path of names. */
export function valueAt(values: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    values,
  );
}

/** The values with this one at the end of a path; whatever stood in its way is replaced. */
export function withKey(values: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return values;
  const below = values[name];
  const inner = rest.length === 0 ? value : withKey(isJsonObject(below) ? below : {}, rest, value);
  return { ...values, [name]: inner };
}

/** The values without what lies at the end of a path. */
export function withoutKey(values: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(values, name)) return values;
  const { [name]: below, ...others } = values;
  if (rest.length === 0) return others;
  return isJsonObject(below) ? { ...values, [name]: withoutKey(below, rest) } : values;
}
