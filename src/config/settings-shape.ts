import type { Settings } from '../agent/options.ts';
import { optional } from '../core/card.ts';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** The known part of raw settings; a value of the wrong shape is a finding and counts as absent. */
export function readShape(all: JsonObject, issues: Issue[]): Settings {
  const skills = objectAt(all, 'skills', issues);
  return {
    ...(skills === undefined ? {} : { skills: skillSettings(skills, issues) }),
    ...wordsAt(all, 'plugins', issues),
    ...wordsAt(all, 'allowSymlinkTargets', issues),
    limits: numbersOf(objectAt(all, 'limits', issues) ?? {}, issues),
  };
}

function skillSettings(skills: JsonObject, issues: Issue[]): NonNullable<Settings['skills']> {
  const entries = objectAt(skills, 'entries', issues, 'skills.') ?? {};
  const usable = Object.entries(entries).filter(([key, entry]) => isJsonObject(entry) || complain(`skills.entries.${key}`, 'an object', issues));
  return {
    entries: Object.fromEntries(usable) as NonNullable<NonNullable<Settings['skills']>['entries']>,
    ...wordsAt(skills, 'allowBundled', issues, 'skills.'),
    ...wordsAt(skills, 'only', issues, 'skills.'),
    ...wordsAt(skills, 'except', issues, 'skills.'),
    ...wordsAt(skills, 'allowOverrideBundled', issues, 'skills.'),
  };
}

function objectAt(from: JsonObject, key: string, issues: Issue[], prefix = ''): JsonObject | undefined {
  const value = from[key];
  if (value === undefined || isJsonObject(value)) return value;
  complain(prefix + key, 'an object', issues);
  return undefined;
}

function wordsAt<Key extends string>(
  from: JsonObject,
  key: Key,
  issues: Issue[],
  prefix = '',
): { readonly [K in Key]?: readonly string[] } {
  const value: Json | undefined = from[key];
  const words = Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  if (value !== undefined && words === undefined) complain(prefix + key, 'a list of words', issues);
  return optional(key, words);
}

function numbersOf(limits: JsonObject, issues: Issue[]): Readonly<Record<string, number>> {
  const usable = Object.entries(limits).filter(
    ([key, value]) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) || complain(`limits.${key}`, 'a whole number', issues),
  );
  return Object.fromEntries(usable) as Record<string, number>;
}

function complain(key: string, expected: string, issues: Issue[]): false {
  issues.push({ level: 'error', code: 'settings.invalid', message: `"${key}" in the settings must be ${expected}; it is not used.` });
  return false;
}
