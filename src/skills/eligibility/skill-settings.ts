import {
  isForeign,
  normaliseName,
  type JsonObject,
  type Requirements,
  type SettingValue,
  type Source,
} from '../../core/index.ts';

/** The settings for a single skill. */
export interface SkillEntry {
  readonly enabled?: boolean;
  readonly env?: Readonly<Record<string, SettingValue>>;
  /** The value of the skill's `primaryEnv` variable, or the environment variable that contains it. */
  readonly apiKey?: SettingValue;
  readonly config?: JsonObject;
  /** Values that override those in the skill's file, if the skill's family allows this. */
  readonly override?: JsonObject;
  /** Hosts that the skill's processes may connect to. */
  readonly hosts?: readonly string[];
  /** Folders that the skill's processes may read. Each path is absolute or begins with `~/`. */
  readonly read?: readonly string[];
  /** The access of the skill's own code to the workspace. Default: none. */
  readonly workspace?: 'read' | 'write';
  /** Whether the skill's own code may start processes. Default: false. */
  readonly processes?: boolean;
}

/** The settings that determine which skills may be used. */
export interface SkillSettings {
  /** Settings for individual skills, keyed by name or `skillKey`. */
  readonly entries?: Readonly<Record<string, SkillEntry>>;
  /** The bundled skills that may be used. An empty list allows none. */
  readonly allowBundled?: readonly string[];
  /** The only skills that may be used. An empty list allows none. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Whether commands in skill texts are disabled. */
  readonly disableShellExecution?: boolean;
  /** Whether loading a skill always restricts the run to the skill's allowed tools. */
  readonly enforceTools?: boolean;
  /** The names of bundled skills that other skills may replace. */
  readonly allowOverrideBundled?: readonly string[];
}

/** The properties of a skill that determine which settings entry applies to it. */
export interface Keyed {
  readonly name: string;
  readonly source: Source;
  readonly requires?: Requirements | undefined;
}

/**
 * Returns the key of a skill's settings entry, as written in the settings. The key is the skill's `skillKey`,
 * or else its name. The `skillKey` of a foreign skill is ignored, because it could claim the settings of
 * another skill.
 */
export function entryKeyOf(skill: Keyed, settings: SkillSettings): string | undefined {
  const { skillKey } = skill.requires ?? {};
  return keyAmong(
    skillKey === undefined || isForeign(skill) ? [skill.name] : [skillKey, skill.name],
    settings,
  );
}

/**
 * Returns the key of an entry that disables a skill, as written in the settings. Such an entry takes
 * precedence over entries that enable the skill.
 */
export function switchedOffBy(skill: Keyed, settings: SkillSettings): string | undefined {
  const { entries = {} } = settings;
  const { skillKey } = skill.requires ?? {};
  const keys = [entryKeyOf(skill, settings), ...(isForeign(skill) ? [skillKey] : [])];
  const spelled = keys.flatMap((key) => (key === undefined ? [] : keysLike(key, entries)));
  return spelled.find((key) => entries[key]?.enabled === false);
}

function keyAmong(candidates: readonly string[], { entries }: SkillSettings): string | undefined {
  if (entries === undefined) return undefined;
  const exact = candidates.find((key) => Object.hasOwn(entries, key));
  if (exact !== undefined) return exact;
  return candidates.flatMap((key) => keysLike(key, entries).at(-1) ?? [])[0];
}

/** Returns a skill's settings entry, if it has one. */
export function entryOf(skill: Keyed, settings: SkillSettings): SkillEntry | undefined {
  const key = entryKeyOf(skill, settings);
  return key === undefined ? undefined : settings.entries?.[key];
}

/** Whether a list of names in the settings contains a canonical name, in any spelling. */
export function namesSkill(list: readonly string[], name: string): boolean {
  return list.some((written) => normaliseName(written) === name);
}

type Entries = Readonly<Record<string, SkillEntry>>;

const known = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/**
 * Returns the keys of entries that are spellings of the same name as `key`. Results are cached for each set
 * of entries.
 */
function keysLike(key: string, entries: Entries): readonly string[] {
  const spellings = known.get(entries) ?? Map.groupBy(Object.keys(entries), normaliseName);
  known.set(entries, spellings);
  const name = normaliseName(key);
  return name === '' ? [] : (spellings.get(name) ?? []);
}
