import { resolve } from 'node:path';
import { expandHome } from '../core/index.ts';
import type {
  AssistantMode,
  CodeRunner,
  Database,
  DefinedSkill,
  Embedder,
  Family,
  Issue,
  JsonObject,
  ModelChoice,
  ModelOptions,
  ModelSource,
  MountRequest,
  MountedSkills,
  Permissions,
  Policy,
  PromptIo,
  LimitOptions,
  RulePosition,
  SandboxMode,
  SandboxProvider,
  ServerDescription,
  ServerEndpoint,
  SessionConfig,
  SnippetRunner,
  Store,
  ToolServer,
  TrustSubject,
} from '../core/index.ts';
import type { SkillSettings } from '../skills/eligibility/skill-settings.ts';
import type { SkillLimits } from '../skills/limits.ts';
import type { LoadedSkill } from '../skills/load-skill.ts';
import type { AgentTool } from './tools.ts';

/** Returns the absolute path of the workspace for runs. */
export function workspaceOf({ workspace, startDir }: AgentOptions): string | undefined {
  const folder = workspace ?? startDir;
  return folder === undefined ? undefined : resolve(folder);
}

/**
 * Agent options, all with defaults. The agent reads no settings files. It reads environment variables only to
 * find models, and only if `models` is not set.
 */
export interface AgentOptions extends Omit<ModelOptions, 'models'> {
  /**
   * The folder where the search for project skills starts. If absent, only explicitly named skills and
   * bundled skills are available.
   */
  readonly startDir?: string;
  /**
   * The folder where skills read and write files, relative to the process's working directory. Default:
   * `startDir`.
   */
  readonly workspace?: string;
  /** Whether to also search the parent folders of `startDir`, up to the repository's root. Default true. */
  readonly searchUpwards?: boolean;
  /** Skill folders with the highest precedence, relative to `startDir`. */
  readonly additionalSkillRoots?: readonly string[];
  /** Whether to search only `additionalSkillRoots`. Skills defined in code are still available. */
  readonly only?: boolean;
  /** Whether to search the home folder for skills as well. Default false. */
  readonly userRoots?: boolean;
  /** The settings to use, or true to read them from the settings files. Default: no settings. */
  readonly settings?: boolean | Settings;
  /** Skills defined in code or loaded from disk. They are registered at once. */
  readonly skills?: readonly (DefinedSkill | LoadedSkill)[];
  /** Functions that models can call, by name: tools of the AI SDK, or functions with a zod schema. */
  readonly tools?: Readonly<Record<string, AgentTool>>;
  /** Packages or folders that contain skills, in addition to those from the settings. */
  readonly plugins?: readonly string[];
  /** The limits for reading skills, such as `maxDepth`, and for each run, such as `cost`. */
  readonly limits?: Partial<SkillLimits> & LimitOptions;
  /** Folders outside every root that symbolic links may point to. */
  readonly allowSymlinkTargets?: readonly string[];
  /**
   * Where runs and sessions are stored: a store, the path of a SQLite file, or a postgres:// address.
   * Default: memory.
   */
  readonly store?: Store | string;
  /**
   * Where skills store records: a database, the path of a SQLite file, a postgres:// address, or `env:NAME`.
   * Default: memory.
   */
  readonly database?: Database | string;
  /** MCP servers whose tools skills may use. They take precedence over servers from the settings. */
  readonly mcpServers?: readonly ServerDescription[];
  /** The number of days after which finished runs are deleted; 0 keeps them forever. Default 30. */
  readonly retentionDays?: number;
  /**
   * Decides which calls are allowed. By default, rules and trust decide, and the user is asked about every
   * other call that has an effect.
   */
  readonly policy?: Policy;
  /** Rules for calls, such as `Read` or `Bash(git diff *)`, in addition to those from the settings. */
  readonly permissions?: Permissions;
  /** The number of hours after which an approval request expires. Default 24. */
  readonly approvalHours?: number;
  /**
   * The file that stores trust decisions. Default: the user's own file if `settings` is true, otherwise
   * memory.
   */
  readonly trustFile?: string;
  /**
   * With `project`, the program trusts the skills of the project: their code needs no approval, as long
   * as their files stay as they were before the agent's first call.
   */
  readonly trust?: 'project';
  /**
   * One model for all tiers, one for each tier, or a source of models. Default: the models for which the
   * environment has API keys.
   */
  readonly models?: ModelChoice | ModelSource;
  /**
   * The sandboxes in which skills' processes run. Default: this machine's sandbox. If the machine has none,
   * each process needs its own approval.
   */
  readonly sandboxes?: SandboxProvider;
  /** The sandbox mode. With `required`, skills cannot run on a machine without a sandbox. Default `auto`. */
  readonly sandbox?: SandboxMode;
  /** Strings that must never be stored or shown, in addition to the secrets in the environment. */
  readonly secrets?: readonly string[];
  /**
   * Whether the package's own skills, such as `read` and `bash`, are offered for prompts that do not name a
   * skill. Default true.
   */
  readonly exposeInternalSkills?: boolean;
  /** Instructions for the assistant, such as its task and tone. They are the start of its system prompt. */
  readonly instructions?: string;
  /**
   * The assistant's mode for a prompt that no skill fits. Default: `open` with `instructions`, otherwise
   * `skills-only`.
   */
  readonly assistant?: AssistantMode;
  /**
   * Whether the assistant receives the project's `AGENTS.md` files. Default: only if `settings` is true, and in
   * a project that the user does not trust only after `instructions.show()`.
   */
  readonly projectInstructions?: boolean;
  /**
   * How to handle a prompt that does not match exactly one skill: step by step (`loop`) or by writing a plan
   * first (`sop`). Default `loop`.
   */
  readonly fallbackSessionType?: 'loop' | 'sop';
  /** Whether to keep a summary of each conversation and prepend it to the next prompt. Default false. */
  readonly enableSummary?: boolean;
  /** The maximum number of sessions, and the times after which they are removed. */
  readonly sessionConfig?: Partial<SessionConfig>;
  /** Functions that ask the user questions and show output while a run is in progress. */
  readonly io?: PromptIo;
  /**
   * Whether to start preparing skills as soon as the agent is ready or starts a run. If false, a skill is
   * prepared at its first call or by `awaitPreparations`. Default true.
   */
  readonly preparesEarly?: boolean;
  /** Whether to watch the disk and keep the registry up to date. Default false. */
  readonly watch?: boolean;
  /**
   * Whether to cache parsed skills for the next start. Pass a folder, or `true` for the user's cache folder.
   * Default false.
   */
  readonly cache?: string | boolean;
  /** Whether to use semantic ranking in addition to keywords, if an encoder is installed. Default true. */
  readonly embeddings?: boolean;
  /**
   * The families that read and run skills, in order of precedence. If several skills share a name, the skill
   * of the first family gets the unqualified name. Default: the built-in families.
   */
  readonly families?: readonly Family[];
}

/** The settings that are relevant to skills. Settings files can also contain other settings. */
export interface Settings {
  readonly skills?: SkillSettings;
  readonly plugins?: readonly string[];
  readonly limits?: Partial<SkillLimits> & LimitOptions;
  readonly allowSymlinkTargets?: readonly string[];
  readonly permissions?: Permissions;
  /** The positions of the permission rules in the settings files. */
  readonly rulePositions?: readonly RulePosition[];
  readonly approvalHours?: number;
  readonly sandbox?: SandboxMode;
  /** The validated MCP servers from every trusted settings layer and from a trusted `.mcp.json`. */
  readonly servers?: readonly ServerDescription[];
  readonly exposeInternalSkills?: boolean;
  readonly assistant?: AssistantMode;
  readonly projectInstructions?: boolean;
  /** Whether the user trusts the project from which the settings were read. */
  readonly isProjectTrusted?: boolean;
  readonly fallbackSessionType?: 'loop' | 'sop';
  readonly enableSummary?: boolean;
  readonly sessionConfig?: Partial<SessionConfig>;
  /** The model options from the settings and the environment. */
  readonly modelOptions?: ModelOptions;
  /**
   * The full contents of the settings files, for skills that require certain settings. If absent, skills can
   * require only the settings above.
   */
  readonly all?: JsonObject;
}

/**
 * The implementations that a preset supplies to the agent, so that the agent does not depend on them
 * directly.
 */
export interface Ports {
  readonly families: readonly Family[];
  readonly builtins: readonly DefinedSkill[];
  /** The folder of the package's own skills. */
  readonly bundledRoot: string;
  /** The user's home folder, if there is one. */
  readonly home?: string;
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for caches that speed up the next start, if there is one. */
  readonly cacheFolder?: string;
  /** A key that changes whenever the parsers change, so that older caches are ignored. */
  readonly cacheKey: string;
  /** Opens the configured models. With `folder`, also uses its `.env` file and finds local model servers. */
  readonly openModels: (options: ModelOptions, folder: string | undefined) => Promise<ModelSource>;
  /** Opens the sandboxes for skills' processes on this machine. */
  readonly openSandboxes: (mode: SandboxMode) => SandboxProvider;
  /** Creates the runner for skills' code, which runs in the provider's sandboxes. */
  readonly openCode: (sandboxes: SandboxProvider) => Promise<CodeRunner>;
  /** Creates the runner for code snippets. */
  readonly openSnippets: () => Promise<SnippetRunner>;
  /** Reads a folder's `.env` file. Its secrets must not be stored or shown. */
  readonly readEnvFile: (folder: string) => Promise<ReadonlyMap<string, string>>;
  /** Opens a store by path or address. Without either, the store is kept in memory. */
  readonly openStore: (where: string | undefined) => Promise<Store>;
  /**
   * Opens the database for records by path (relative to `folder`), address or `env:NAME`. Without any of
   * these, the database is kept in memory.
   */
  readonly openDatabase: (where: string | undefined, folder: string | undefined) => Promise<Database>;
  /** Completes changes of installed skills that a killed process left unfinished. Called before folders are read. */
  readonly settleInstalled?: (startDir: string | undefined) => void;
  /** Returns the issues with installed skills, such as files that differ from the lock. */
  readonly installedIssues?: (startDir: string | undefined) => readonly Issue[];
  /** Creates a tool server without connecting to it yet. */
  readonly openServer: (endpoint: ServerEndpoint) => Promise<ToolServer>;
  /** Downloads a server's skills as files. Problems with the server are returned as issues. */
  readonly mountSkills: (request: MountRequest) => Promise<MountedSkills>;
  /**
   * Opens a policy with the given rules and trust file. Without a file, trust decisions are not saved.
   * `trustsSkill` returns whether the program itself trusts a skill.
   */
  readonly openPolicy: (
    permissions: Permissions,
    trustFile: string | undefined,
    trustsSkill?: (skill: TrustSubject) => boolean,
  ) => Policy;
  /** Returns the folders whose skills the user trusts whatever their files contain. */
  readonly grantedFolders?: (trustFile: string | undefined) => readonly string[];
  /** The path of the user's own trust file, if there is one. */
  readonly trustFile?: string;
  /** A description of the process and machine, as shown to users. */
  readonly owner: string;
  /** The program's version, as recorded in logs. */
  readonly version: string;
  /** Opens the encoder for semantic ranking. Returns undefined if none is installed. */
  readonly openEmbedder: () => Embedder | undefined;
  /** Reads the settings. Without a start folder, reads only the user's own settings. */
  readonly readSettings: (startDir: string | undefined) => {
    readonly settings: Settings;
    readonly issues: readonly Issue[];
  };
}

/** Resolves a folder path from a setting. A leading `~/` means the user's home folder. */
export function folderAt(folder: string, home: string | undefined): string {
  return expandHome(folder, home);
}
