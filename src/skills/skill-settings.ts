import type { JsonObject } from '../core/json.ts';
import { normaliseName } from '../core/names.ts';
import type { Requirements } from '../core/skill.ts';

/** A secret by the name of the variable that holds it, or plain text where it is none. */
export type SettingValue = string | { readonly env: string };

/** What settings say about one skill. */
export interface SkillEntry {
  readonly enabled?: boolean;
  readonly env?: Readonly<Record<string, SettingValue>>;
  /** Fills the skill's `primaryEnv`; always by the name of a variable. */
  readonly apiKey?: SettingValue;
  readonly config?: JsonObject;
  /** Hosts that its processes may reach. */
  readonly hosts?: readonly string[];
  /** Folders that its processes may read, absolute or beginning with `~/`. */
  readonly read?: readonly string[];
}

/** The part of the settings that decides which skills may be used. */
export interface SkillSettings {
  /** By name or `skillKey`. */
  readonly entries?: Readonly<Record<string, SkillEntry>>;
  /** Bundled skills that may be used; an empty list allows none. */
  readonly allowBundled?: readonly string[];
  /** The only skills that may be used; an empty list allows none. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Names of bundled skills that other sources may replace. */
  readonly allowOverrideBundled?: readonly string[];
}

/** A skill as far as its settings entry depends on it. */
export interface Keyed {
  readonly name: string;
  readonly requires?: Requirements | undefined;
}

/** The key under which the settings speak of a skill: its `skillKey`, else its name, in any spelling. */
export function entryKeyOf(skill: Keyed, { entries }: SkillSettings): string | undefined {
  if (entries === undefined) return undefined;
  const wanted = [skill.requires?.skillKey, skill.name].filter((key) => key !== undefined);
  const exact = wanted.find((key) => Object.hasOwn(entries, key));
  if (exact !== undefined) return exact;
  const spelled = spellingsIn(entries);
  return wanted.map((key) => spelled.get(normaliseName(key))).find((key) => key !== undefined);
}

/** The settings entry of a skill. */
export function entryOf(skill: Keyed, settings: SkillSettings): SkillEntry | undefined {
  const key = entryKeyOf(skill, settings);
  return key === undefined ? undefined : settings.entries?.[key];
}

/** Whether a list of names in the settings has this canonical name, in any spelling. */
export function namesSkill(list: readonly string[], name: string): boolean {
  return list.some((written) => normaliseName(written) === name);
}

const known = new WeakMap<object, ReadonlyMap<string, string>>();

/** The keys of the entries by their canonical form; made once for each set of entries. */
function spellingsIn(entries: Readonly<Record<string, SkillEntry>>): ReadonlyMap<string, string> {
  const before = known.get(entries);
  if (before !== undefined) return before;
  const spellings = new Map(Object.keys(entries).map((key) => [normaliseName(key), key]));
  spellings.delete('');
  known.set(entries, spellings);
  return spellings;
}
