import { join, resolve } from 'node:path';
import type {
  CodeRunner,
  Database,
  DefinedSkill,
  Embedder,
  Family,
  Issue,
  Json,
  JsonObject,
  MemoryMap,
  ModelChoice,
  ModelOptions,
  ModelSource,
  MountRequest,
  MountedSkills,
  OpenQuestion,
  Permissions,
  Policy,
  RunLimits,
  SandboxMode,
  SandboxProvider,
  ServerDescription,
  ServerPlace,
  SessionConfig,
  SnippetRunner,
  Store,
  ToolServer,
  Wanted,
} from '../core/index.ts';
import { variable, type Environment } from '../skills/eligibility/environment.ts';
import type { SkillSettings } from '../skills/eligibility/skill-settings.ts';
import type { SkillLimits } from '../skills/limits.ts';

/** The folder of a run's files, absolute. */
export function workspaceOf({ workspace, startDir }: AgentOptions): string | undefined {
  const folder = workspace ?? startDir;
  return folder === undefined ? undefined : resolve(folder);
}

/** What a caller may say; everything has a default, and nothing outside of it is read. */
export interface AgentOptions extends Omit<ModelOptions, 'models'> {
  /** Where project skills are looked for; without it only named and bundled skills exist. */
  readonly startDir?: string;
  /** The folder that skills read and write files in, relative to the process. Default: `startDir`. */
  readonly workspace?: string;
  /** Also look in the parents of `startDir`, up to the repository's root. Default true. */
  readonly searchUpwards?: boolean;
  /** Folders of highest precedence, relative to `startDir`. */
  readonly additionalSkillRoots?: readonly string[];
  /** Look in the additional roots and nowhere else; skills made in code stay. */
  readonly only?: boolean;
  /** Also read the skills in the home folder. Default false. */
  readonly userRoots?: boolean;
  /** Read the settings files, or take these settings. Default: none. */
  readonly settings?: boolean | Settings;
  /** Packages or folders that carry skills; joined with those of the settings. */
  readonly plugins?: readonly string[];
  readonly limits?: Partial<SkillLimits & RunLimits>;
  /** Folders into which links may lead although they lie outside every root. */
  readonly allowSymlinkTargets?: readonly string[];
  /** Where runs and sessions are kept: a store, the path of an SQLite file, or a postgres:// address. Default: memory. */
  readonly store?: Store | string;
  /** Where skills keep records: a database, the path of an SQLite file, a postgres:// address, or `env:NAME`. Default: memory. */
  readonly database?: Database | string;
  /** Servers of MCP tools that skills may name; joined with those of the settings, before which they go. */
  readonly mcpServers?: readonly ServerDescription[];
  /** Days after which runs that ended are forgotten; 0 keeps them. Default 30. */
  readonly retentionDays?: number;
  /** What calls may happen. Default: rules, trust, and a question to a person about everything else that has an effect. */
  readonly policy?: Policy;
  /** Rules for calls, as `Read`, `Bash(git diff *)` or `Skill(name)`; joined with those of the settings. */
  readonly permissions?: Permissions;
  /** Hours after which nobody can decide any more what a run asks for. Default 24. */
  readonly approvalHours?: number;
  /** Where it is kept which skills are trusted. Default: with settings the user's own file, else memory. */
  readonly trustFile?: string;
  /** One model for all, one for each tier, or where to get them. Default: what the environment has keys for. */
  readonly models?: ModelChoice | ModelSource;
  /** Where processes of skills run. Default: in a sandbox where this machine has one, else each needs its own approval. */
  readonly sandboxes?: SandboxProvider;
  /** With `required` nothing runs on a machine without a sandbox. Default `auto`. */
  readonly sandbox?: SandboxMode;
  /** Texts that must never be kept or shown, beside the secrets in the environment. */
  readonly secrets?: readonly string[];
  /** Whether the package's own skills, as `read` and `bash`, are offered for prompts that name no skill. Default true. */
  readonly exposeInternalSkills?: boolean;
  /** How a prompt is carried out that no skill takes as a whole: step by step, or by a plan. Default `loop`. */
  readonly fallbackSessionType?: 'loop' | 'sop';
  /** Keep a summary of each conversation, in front of its next prompt. Default false. */
  readonly enableSummary?: boolean;
  /** How many sessions are remembered, and for how long. */
  readonly sessionConfig?: Partial<SessionConfig>;
  /** How the program speaks with its user while prompts are carried out. */
  readonly io?: PromptIo;
  /** Begin to prepare skills with the first execution; false: with their first call, or with `awaitPreparations`. Default true. */
  readonly preparesEarly?: boolean;
  /** Keep the registry equal to the disk. Default false. */
  readonly watch?: boolean;
  /** Keep what was read for the next start: in this folder, or with true in the user's cache folder. Default false. */
  readonly cache?: string | boolean;
  /** Also rank skills by meaning, where an encoder is installed. Default true. */
  readonly embeddings?: boolean;
  /** Who reads and runs skills; their order decides who owns a bare name. Default: the built-in families. */
  readonly families?: readonly Family[];
}

/** The settings that matter to skills; files hold more than this. */
export interface Settings {
  readonly skills?: SkillSettings;
  readonly plugins?: readonly string[];
  readonly limits?: Partial<SkillLimits & RunLimits>;
  readonly allowSymlinkTargets?: readonly string[];
  readonly permissions?: Permissions;
  readonly approvalHours?: number;
  readonly sandbox?: SandboxMode;
  /** Those of every layer that is believed, and of a trusted `.mcp.json`, checked. */
  readonly servers?: readonly ServerDescription[];
  readonly exposeInternalSkills?: boolean;
  readonly fallbackSessionType?: 'loop' | 'sop';
  readonly enableSummary?: boolean;
  readonly sessionConfig?: Partial<SessionConfig>;
  /** What the settings and the environment say about models. */
  readonly modelOptions?: ModelOptions;
  /** Everything that the files say, for requirements on settings; without it the settings themselves. */
  readonly all?: JsonObject;
}

/** What surrounds the agent and is chosen by a preset, so that the agent itself knows no implementation. */
export interface Ports {
  readonly families: readonly Family[];
  readonly builtins: readonly DefinedSkill[];
  /** The folder of the package's own skills. */
  readonly bundledRoot: string;
  /** The user's home folder, where there is one. */
  readonly home?: string;
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where knowledge for warm starts may be kept, if anywhere. */
  readonly cacheFolder?: string;
  /** Changes with every change of the parsers, so that no older knowledge is believed. */
  readonly cacheKey: string;
  /** Opens models by what was chosen; `folder` is where a `.env` file and local servers are looked for, if anywhere. */
  readonly openModels: (options: ModelOptions, folder: string | undefined) => Promise<ModelSource>;
  /** Where processes of skills run on this machine. */
  readonly openSandboxes: (mode: SandboxMode) => SandboxProvider;
  /** Makes what calls the code of skills, in sandboxes of a provider. */
  readonly openCode: (sandboxes: SandboxProvider) => Promise<CodeRunner>;
  /** Makes what runs snippets. */
  readonly openSnippets: () => Promise<SnippetRunner>;
  /** The variables in the `.env` file of a folder, whose secrets must not be kept or shown. */
  readonly readEnvFile: (folder: string) => Promise<ReadonlyMap<string, string>>;
  /** Opens a store by its path or address; one in memory without any. */
  readonly openStore: (where: string | undefined) => Promise<Store>;
  /** Opens where skills keep records, by its path, from this folder on, or address, or by `env:NAME`; in memory without any. */
  readonly openDatabase: (where: string | undefined, folder: string | undefined) => Promise<Database>;
  /** Makes a server of tools out of everything that it takes to reach it; nothing is connected yet. */
  readonly openServer: (place: ServerPlace) => Promise<ToolServer>;
  /** Has the skills of a server here as files; whatever is wrong with the server is a finding. */
  readonly mountSkills: (request: MountRequest) => Promise<MountedSkills>;
  /** The policy of these rules and of what the trust file says; without one, nothing outlives the agent. */
  readonly openPolicy: (permissions: Permissions, trustFile: string | undefined) => Policy;
  /** The user's own trust file, where there is a place for it. */
  readonly trustFile?: string;
  /** Who works here, for people: process and machine. */
  readonly owner: string;
  /** Of the program, for logs. */
  readonly version: string;
  /** Opens an encoder of meanings; nothing when none is installed. */
  readonly openEmbedder: () => Embedder | undefined;
  /** Without a start folder only the user's own settings are read. */
  readonly readSettings: (startDir: string | undefined) => {
    readonly settings: Settings;
    readonly issues: readonly Issue[];
  };
}

/** How a program speaks with its user while a prompt is carried out. */
export interface PromptIo {
  /** Asked what a skill wants to know; undefined leaves the run waiting. Approvals are not asked here. */
  readonly inputReader?: (question: OpenQuestion, signal: AbortSignal) => Promise<Json | undefined>;
  /** Hears the lines that skills say for whoever watches. */
  readonly outputWriter?: (line: string) => void;
}

/** Who asks. */
export interface PromptUser {
  /** A session belongs to the user who began it; another one gets `policy.denied`. */
  readonly id?: string;
  readonly sessionId?: string;
  /** Stands for a session and is never kept: only its hash is. */
  readonly sessionToken?: string;
  /** What they may do; skills that let only some people in go by it. None unless given. */
  readonly roles?: readonly string[];
}

/** Around what a prompt is carried out. The session is `sessionId`, else that of the user, else its token, else the default one. */
export interface PromptContext {
  readonly sessionId?: string;
  readonly user?: PromptUser;
  /** Stands in for the memory of the session; only this process knows it. */
  readonly sessionMemory?: MemoryMap;
  /** Goes before what the agent was made with. */
  readonly io?: PromptIo;
}

/** How a prompt is carried out. */
export interface PromptOptions {
  /** The skill to call; without it the prompt decides. */
  readonly skillName?: string;
  /** What the skill is given; the prompt is added where the skill takes it and nothing else stands there. */
  readonly args?: JsonObject;
  readonly context?: PromptContext;
  /** Does not wait for skills that are being prepared. */
  readonly skipPreparationAwait?: boolean;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
  readonly wanted?: Wanted;
}

/** A folder that a setting names, where `~/` stands for the user's home. */
export function folderAt(folder: string, home: string | undefined): string {
  return home !== undefined && folder.startsWith('~/') ? join(home, folder.slice(2)) : folder;
}

/** A place as it is written; for `env:NAME` what that variable says, undefined where it says nothing. */
export function placeBehind(written: string, environment: Environment): string | undefined {
  const name = /^env:(.*)$/s.exec(written)?.[1];
  return name === undefined ? written : variable(environment, name.trim());
}
