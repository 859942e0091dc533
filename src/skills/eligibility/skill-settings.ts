import {
  isForeign,
  normaliseName,
  type JsonObject,
  type Requirements,
  type SettingValue,
  type Source,
} from '../../core/index.ts';

/** What settings say about one skill. */
export interface SkillEntry {
  readonly enabled?: boolean;
  readonly env?: Readonly<Record<string, SettingValue>>;
  /** Fills the skill's `primaryEnv`; always by the name of a variable. */
  readonly apiKey?: SettingValue;
  readonly config?: JsonObject;
  /** What takes the place of values in its file, where its family lets settings do that. */
  readonly override?: JsonObject;
  /** Hosts that its processes may reach. */
  readonly hosts?: readonly string[];
  /** Folders that its processes may read, absolute or beginning with `~/`. */
  readonly read?: readonly string[];
  /** What its own code may do with the workspace; nothing unless said. */
  readonly workspace?: 'read' | 'write';
  /** Whether its own code may start processes; not unless said. */
  readonly processes?: boolean;
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
  /** No command in the text of a skill runs. */
  readonly disableShellExecution?: boolean;
  /** A skill that is loaded lets nothing but its allowed tools be used, whether it says so or not. */
  readonly enforceTools?: boolean;
  /** Names of bundled skills that other sources may replace. */
  readonly allowOverrideBundled?: readonly string[];
}

/** A skill as far as its settings entry depends on it. */
export interface Keyed {
  readonly name: string;
  readonly source: Source;
  readonly requires?: Requirements | undefined;
}

/**
 * The key under which the settings speak of a skill: its `skillKey`, else its name, in any spelling. One from somebody
 * else goes by its name alone: it could name the entry of another skill, and get what was meant for that.
 */
export function entryKeyOf(skill: Keyed, settings: SkillSettings): string | undefined {
  const { skillKey } = skill.requires ?? {};
  return keyAmong(
    skillKey === undefined || isForeign(skill) ? [skill.name] : [skillKey, skill.name],
    settings,
  );
}

/** The key of an entry that switches a skill off, whatever another spelling of the key or a `skillKey` says. */
export function switchedOffBy(skill: Keyed, settings: SkillSettings): string | undefined {
  const { entries = {} } = settings;
  const { skillKey } = skill.requires ?? {};
  const keys = [entryKeyOf(skill, settings), ...(isForeign(skill) ? [skillKey] : [])];
  const spelled = keys.flatMap((key) => (key === undefined ? [] : keysLike(key, entries)));
  return spelled.find((key) => entries[key]?.enabled === false);
}

function keyAmong(wanted: readonly string[], { entries }: SkillSettings): string | undefined {
  if (entries === undefined) return undefined;
  const exact = wanted.find((key) => Object.hasOwn(entries, key));
  if (exact !== undefined) return exact;
  return wanted.flatMap((key) => keysLike(key, entries).at(-1) ?? [])[0];
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

type Entries = Readonly<Record<string, SkillEntry>>;

const known = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** The keys that are this one in some spelling; found once for each set of entries. */
function keysLike(key: string, entries: Entries): readonly string[] {
  const spellings = known.get(entries) ?? Map.groupBy(Object.keys(entries), normaliseName);
  known.set(entries, spellings);
  const name = normaliseName(key);
  return name === '' ? [] : (spellings.get(name) ?? []);
}
