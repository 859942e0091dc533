import type { Issue } from './issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from './json.ts';
import { normaliseKey } from './names.ts';
import { optional } from './optional.ts';
import type { Requirements } from './skill.ts';

const namespaces = ['skilled', 'openclaw', 'clawdbot'];

/** What a skill needs, from the first namespace of its metadata that is there; undefined when it needs nothing. */
export function requirementsOf(
  metadata: JsonObject | undefined,
  issues: Issue[] = [],
): Requirements | undefined {
  const own = namespaces.map((name) => objectOf(member(metadata, name))).find((value) => value !== undefined);
  if (own === undefined) return undefined;
  const given = member(own, 'requires');
  const requires = objectOf(given);
  if (given !== undefined && given !== null && requires === undefined) complain('requires', 'a map', issues);
  const found = {
    ...listAs('os', own, issues),
    ...listAs('bins', requires, issues),
    ...listAs('anyBins', requires, issues),
    ...listAs('env', requires, issues),
    ...listAs('config', requires, issues),
    ...optional('always', isOn('always', own, issues) ? (true as const) : undefined),
    ...textAs('primaryEnv', own, issues),
    ...textAs('skillKey', own, issues),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** A member by its name, compared as keys are. */
function member(map: JsonObject | undefined, name: string): Json | undefined {
  if (map === undefined) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const key = Object.keys(map).find((other) => normaliseKey(other) === normaliseKey(name));
  return key === undefined ? undefined : map[key];
}

function isOn(name: string, map: JsonObject, issues: Issue[]): boolean {
  const value = member(map, name);
  if (value === undefined || value === null) return false;
  const word = typeof value === 'object' ? '' : String(value).trim();
  if (/^(?:true|yes|on|1)$/i.test(word)) return true;
  if (!/^(?:false|no|off|0)$/i.test(word)) complain(name, 'true or false', issues);
  return false;
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
  map: JsonObject | undefined,
  issues: Issue[],
): { readonly [K in Key]?: readonly string[] } {
  const value = member(map, key) ?? [];
  const items: readonly Json[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : [value];
  if (items.some((item) => typeof item !== 'string')) complain(key, 'a list of words', issues);
  const words = items.flatMap((item) => (typeof item === 'string' ? [item.trim()] : [])).filter(Boolean);
  return optional(key, words.length === 0 ? undefined : words);
}

function textAs<Key extends string>(
  key: Key,
  map: JsonObject,
  issues: Issue[],
): { readonly [K in Key]?: string } {
  const value = member(map, key) ?? '';
  if (typeof value !== 'string') complain(key, 'text', issues);
  const text = typeof value === 'string' ? value.trim() : '';
  return optional(key, text === '' ? undefined : text);
}

/** A requirement that cannot be read must not vanish without a word. */
function complain(key: string, expected: string, issues: Issue[]): void {
  const message = `"${key}" in the metadata should be ${expected}; what is not was left out.`;
  issues.push({ level: 'warning', code: 'field.type', message });
}
