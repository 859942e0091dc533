import type { Issue } from './issue.ts';
import type { JsonObject } from './json.ts';
import type { RunLimits } from './policy/run-limits.ts';

const own: ReadonlySet<Source> = new Set<Source>(['explicit', 'user', 'bundled']);

/**
 * Whether a bundle comes from someone other than the user: from a project, a package or a server, or because it
 * was installed for the user.
 */
export function isForeign({
  source,
  isInstalled,
}: {
  readonly source: Source;
  readonly isInstalled?: true | undefined;
}): boolean {
  return isInstalled === true || !own.has(source);
}

/**
 * Whether the skill comes from a server, so that a model would read the server's text as instructions. This
 * excludes a server's tools, which are defined in code. Pure.
 */
export function isFromServer({
  source,
  isDefinedInCode,
}: {
  readonly source: Source;
  readonly isDefinedInCode: boolean;
}): boolean {
  return source === 'mcp' && !isDefinedInCode;
}

/** Returns a skill's name qualified with its source, which identifies this skill unambiguously. */
export function qualifiedName({ name, aliases, source }: Skill): string {
  return aliases.find((alias) => alias.startsWith(`${source}:`)) ?? name;
}

/** The possible sources of a skill, highest precedence first. */
export const sources = ['explicit', 'project', 'user', 'plugin', 'mcp', 'bundled'] as const;

/** The source of a skill. */
export type Source = (typeof sources)[number];

/** A skill's requirements for the machine it runs on. Contains only names, never values. */
export interface Requirements {
  readonly os?: readonly string[];
  readonly bins?: readonly string[];
  readonly anyBins?: readonly string[];
  readonly env?: readonly string[];
  /** Settings that must have a value, as dotted paths from the top level. */
  readonly config?: readonly string[];
  /** Exempts the skill from every requirement check except `os`. */
  readonly always?: true;
  /** The environment variable that is set to `apiKey` from the skill's settings entry. */
  readonly primaryEnv?: string;
  /** The key of the skill's settings entry, if it differs from the skill's name. */
  readonly skillKey?: string;
}

/** The tools that a skill may call, both directly and through the skills that it calls. */
export interface ToolBound {
  /** The tool rules and skill names. An empty list allows no tools. */
  readonly rules: readonly string[];
  /** The one-based line number of each rule in the descriptor. */
  readonly lines: readonly number[];
  /** The one-based line number of the list in the descriptor. */
  readonly line: number;
}

/** The public description of a skill: everything that is shown, searched or checked without running it. */
export interface SkillCard {
  readonly description: string;
  /**
   * Other names that the skill's file declares. If another skill has the same name, that skill takes
   * precedence.
   */
  readonly aliases?: readonly string[];
  readonly whenToUse?: string;
  /** Example requests that this skill is meant for, verbatim. */
  readonly examples?: readonly string[];
  /** The input's JSON Schema. Absent if any input is accepted. */
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  readonly argumentNames?: readonly string[];
  readonly argumentHint?: string;
  readonly tags?: readonly string[];
  /** Tools that the skill declares it uses. An empty list means none. */
  readonly allowedTools?: readonly string[];
  /** The one-based line number of `allowedTools`. Set if the registry must report unknown names in it. */
  readonly allowedToolsLine?: number;
  /** The tools that the skill and all skills it calls may use. If absent, the skill adds no limit. */
  readonly toolBound?: ToolBound;
  /** Tools that must not be used for the skill, even if other rules allow them. */
  readonly disallowedTools?: readonly string[];
  /** Set if a conversation that has loaded the skill may call only its allowed tools. */
  readonly enforceTools?: true;
  /**
   * Set if the skill runs separately instead of being loaded into a conversation. The caller waits for the
   * result or lets the skill run in the background.
   */
  readonly forks?: 'awaited' | 'background';
  /** Limits that the skill sets for itself. Only values stricter than the caller's take effect. */
  readonly limits?: Partial<RunLimits>;
  /** The maximum depth of nested calls from this skill to skills of the same family. */
  readonly nesting?: number;
  /** The skills that this skill may call. Absent means all others; an empty list means none. */
  readonly allowedSkills?: readonly string[];
  /** The one-based line number of each allowed skill in the descriptor. Absent for a skill without a file. */
  readonly allowedSkillLines?: readonly number[];
  /** The skill's label in permission rules, if it is not `Skill`. */
  readonly label?: string;
  /**
   * Set if the skill starts processes. Text from a server or a web page must not reach its input unnoticed.
   */
  readonly runsProcesses?: true;
  /** Set if a loop must not run calls to the skill in parallel with other calls from the same step. */
  readonly sequential?: true;
  /** Set if a result's text includes all data of its value. Models then receive only the text. */
  readonly textIsComplete?: true;
  /**
   * Set if the skill's results come from an external source. Models receive them as data, not as
   * instructions.
   */
  readonly fromOutside?: true;
  /** File globs that activate the skill automatically. */
  readonly paths?: readonly string[];
  readonly metadata?: JsonObject;
  readonly license?: string;
  /** A description of the environment that the skill needs. */
  readonly compatibility?: string;
  readonly requires?: Requirements;
  /**
   * Set if catalogs list the skill before skills that are not pinned, as requested by
   * `metadata.skilled.pinned`.
   */
  readonly pinned?: true;
  /** False if models must not choose the skill on their own. Absent otherwise. */
  readonly modelInvocable?: false;
  /** False if listings shown to users omit the skill. Absent otherwise. */
  readonly userInvocable?: false;
  /** False if the skill resolves by name but never appears in a catalog. Absent otherwise. */
  readonly listed?: false;
}

/** The status of a skill: ready, or the reason why it cannot be used. */
export type SkillStatus = 'ready' | 'unavailable' | 'shadowed' | 'invalid';

/** A missing requirement, with a hint on how to provide it. */
export interface MissingRequirement {
  readonly kind: 'os' | 'bin' | 'env' | 'config' | 'disabled';
  readonly name: string;
  readonly hint: string;
}

/** A registered skill, as an immutable record without the skill's body. */
export interface Skill {
  /** The skill's canonical name. */
  readonly name: string;
  /** The skill's other names, including qualified ones. */
  readonly aliases: readonly string[];
  readonly family: string;
  readonly card: SkillCard;
  readonly source: Source;
  /** Set if the lock of the user's own skills lists the skill, so that someone else wrote it. */
  readonly isInstalled?: true | undefined;
  /** The server that the skill was copied from, if any. */
  readonly server?: string | undefined;
  /** The root folder that contains the skill. Empty for a skill defined in code. */
  readonly root: string;
  /** The skill's bundle folder. Empty for a skill defined in code. */
  readonly dir: string;
  /** The skill's descriptor file. Empty for a skill defined in code. */
  readonly file: string;
  readonly status: SkillStatus;
  readonly missing?: readonly MissingRequirement[] | undefined;
  /** The descriptor file of the skill that shadows this one. */
  readonly shadowedBy?: string | undefined;
  readonly issues: readonly Issue[];
  /** The skill's definition, as converted by its family. Present only if the skill was defined in code. */
  readonly codeDefinition?: object | undefined;
  /** @deprecated Use `codeDefinition`. */
  readonly made?: object | undefined;
}

/** Options for the catalog that a running skill requests through its scope. */
export interface CatalogQuery {
  /** The request that determines which skills are included if the catalog has no room for all of them. */
  readonly request?: string;
  /** Whether to include only skills that can be loaded into a conversation. */
  readonly loadable?: true;
  readonly maxSkills?: number;
  readonly maxChars?: number;
}

/** A catalog as shown to a model, and the names of the skills that it omits. */
export interface ShownCatalog {
  readonly text: string;
  readonly shown: number;
  /** Names of the omitted skills, sorted by code units. */
  readonly omitted: readonly string[];
}

/** A skill found by a search. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
}

/** Whether a prompt contains the full text of skills or only their locations. */
export type InjectionStyle = 'full' | 'light';
