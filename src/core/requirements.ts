import { isJsonObject, parseJson, type Json, type JsonObject } from './json.ts';
import { optional } from './optional.ts';
import type { Requirements } from './skill.ts';

const namespaces = ['skilled', 'openclaw', 'clawdbot'];

/** What a skill needs, from the first namespace of its metadata that is there; undefined when it needs nothing. */
export function requirementsOf(metadata: JsonObject | undefined): Requirements | undefined {
  const own = namespaces.map((name) => objectOf(metadata?.[name])).find((value) => value !== undefined);
  if (own === undefined) return undefined;
  const requires = objectOf(own['requires']) ?? {};
  const found = {
    ...listAs('os', own['os']),
    ...listAs('bins', requires['bins']),
    ...listAs('anyBins', requires['anyBins']),
    ...listAs('env', requires['env']),
    ...listAs('config', requires['config']),
    ...optional('always', isOn(own['always']) ? (true as const) : undefined),
    ...textAs('primaryEnv', own['primaryEnv']),
    ...textAs('skillKey', own['skillKey']),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

function isOn(value: Json | undefined): boolean {
  return (
    value === true || value === 1 || (typeof value === 'string' && /^(?:true|yes|on|1)$/i.test(value.trim()))
  );
}

/** An object, or the object that a JSON string holds. */
function objectOf(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  const parsed = parseJson(value); // text that only looks like JSON is plain metadata
  return isJsonObject(parsed) ? parsed : undefined;
}

function listAs<Key extends string>(
  key: Key,
  value: Json | undefined,
): { readonly [K in Key]?: readonly string[] } {
  const items: readonly Json[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : [];
  const words = items.flatMap((item) => (typeof item === 'string' ? [item.trim()] : [])).filter(Boolean);
  return optional(key, words.length === 0 ? undefined : words);
}

function textAs<Key extends string>(key: Key, value: Json | undefined): { readonly [K in Key]?: string } {
  const text = typeof value === 'string' ? value.trim() : '';
  return optional(key, text === '' ? undefined : text);
}
