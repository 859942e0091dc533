import type { Issue } from './issue.ts';
import type { JsonObject } from './json.ts';
import type { RunLimits } from './run-limits.ts';

const own: ReadonlySet<Source> = new Set<Source>(['explicit', 'user', 'bundled']);

/** Whether a bundle comes from somebody else than whoever runs it: from a project, a package or a server. */
export function isForeign({ source }: { readonly source: Source }): boolean {
  return !own.has(source);
}

/** Whether a skill is one of those that a server offers, so that its text would become instructions here; the tools of a server are made in code and are none. Pure. */
export function isFromServer({ source, made }: { readonly source: Source; readonly made: boolean }): boolean {
  return source === 'mcp' && !made;
}

/** The name of a skill with its source, which leads to this skill and no other. */
export function qualifiedName({ name, aliases, source }: Skill): string {
  return aliases.find((alias) => alias.startsWith(`${source}:`)) ?? name;
}

/** Where a skill comes from, highest precedence first. */
export const sources = ['explicit', 'project', 'user', 'plugin', 'mcp', 'bundled'] as const;

/** One of the sources of skills. */
export type Source = (typeof sources)[number];

/** What must be present on this machine before a skill can run; names only, never values. */
export interface Requirements {
  readonly os?: readonly string[];
  readonly bins?: readonly string[];
  readonly anyBins?: readonly string[];
  readonly env?: readonly string[];
  /** Dotted paths from the top of the settings. */
  readonly config?: readonly string[];
  /** Passes every check but `os`, and pins the skill in the catalog. */
  readonly always?: true;
  /** The variable that a settings entry's `apiKey` fills. */
  readonly primaryEnv?: string;
  /** The key of its settings entry when that is not its name. */
  readonly skillKey?: string;
}

/** What a reader of a skill may know: everything that is shown, searched or checked without running it. */
export interface SkillCard {
  readonly description: string;
  readonly whenToUse?: string;
  /** Requests that are meant for it, word for word. */
  readonly examples?: readonly string[];
  /** JSON Schema of the input; absent when any input is taken. */
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  readonly argumentNames?: readonly string[];
  readonly argumentHint?: string;
  readonly tags?: readonly string[];
  /** Tools the skill names for itself; present and empty means none. */
  readonly allowedTools?: readonly string[];
  /** Tools that must not be used for it, whatever else allows them. */
  readonly disallowedTools?: readonly string[];
  /** Set when a conversation that loaded it may call nothing but its allowed tools. */
  readonly enforceTools?: true;
  /** Set when it is not loaded into a conversation but works on its own: awaited, or while the conversation goes on. */
  readonly forks?: 'awaited' | 'background';
  /** Bounds that it sets for itself; only what is tighter than the caller's own counts. */
  readonly limits?: Partial<RunLimits>;
  /** How many skills of its own family may be nested below it. */
  readonly nesting?: number;
  /** Skills it may call; absent means every other one, present and empty means none. */
  readonly allowedSkills?: readonly string[];
  /** The word by which permission rules name it, where that is not `Skill`. */
  readonly label?: string;
  /** Set when it starts processes: nothing that came from elsewhere may become a part of its input unseen. */
  readonly runsProcesses?: true;
  /** Set when a loop must not run its calls beside others of the same step. */
  readonly sequential?: true;
  /** Set when what it gives comes from outside and is nothing to obey: models are shown it as data. */
  readonly fromOutside?: true;
  /** Globs of files that activate it by themselves. */
  readonly paths?: readonly string[];
  readonly metadata?: JsonObject;
  readonly license?: string;
  /** What it needs around it, in words. */
  readonly compatibility?: string;
  readonly requires?: Requirements;
  /** Set when no model may choose it by itself. */
  readonly modelInvocable?: false;
  /** Set when people-facing listings leave it out. */
  readonly userInvocable?: false;
  /** Set when it resolves by name but is never in a catalog. */
  readonly listed?: false;
}

/** Whether a skill can be used, and if not, why not. */
export type SkillStatus = 'ready' | 'unavailable' | 'shadowed' | 'invalid';

/** Something that is missing on this machine, and how to get it. */
export interface Missing {
  readonly kind: 'os' | 'bin' | 'env' | 'config' | 'disabled';
  readonly name: string;
  readonly hint: string;
}

/** A registered skill: an immutable record, without its body. */
export interface Skill {
  /** Canonical name. */
  readonly name: string;
  /** Other names that reach it, qualified ones included. */
  readonly aliases: readonly string[];
  readonly family: string;
  readonly card: SkillCard;
  readonly source: Source;
  /** The server that it is a copy from, where it is one. */
  readonly server?: string | undefined;
  /** The root it was found below; empty for a skill made in code. */
  readonly root: string;
  /** Its bundle; empty for a skill made in code. */
  readonly dir: string;
  /** Its descriptor; empty for a skill made in code. */
  readonly file: string;
  readonly status: SkillStatus;
  readonly missing?: readonly Missing[] | undefined;
  /** The descriptor of the skill that has its name. */
  readonly shadowedBy?: string | undefined;
  readonly issues: readonly Issue[];
  /** Present when the skill was made in code: what its family took over. */
  readonly made?: object | undefined;
}
