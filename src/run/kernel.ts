import {
  AgentError,
  type AssistantMode,
  type CatalogQuery,
  type CodeRunner,
  type Surroundings,
  type Database,
  type Family,
  type Grant,
  type InjectionStyle,
  type Json,
  type MemoryMap,
  type Model,
  type Policy,
  type Redact,
  type RunLimits,
  type SandboxProvider,
  type ServerDescription,
  type ShownCatalog,
  type Skill,
  type SnippetRunner,
  type Store,
  type Tier,
  type ToolServer,
  type CallOverrides,
} from '../core/index.ts';
import type { Ranking } from '../skills/rank/skill-ranking.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { ScopedResources } from './calls/scoped-resources.ts';
import type { Live } from './lifecycle/live-runs.ts';

/** A run's original request, including secrets. It is never stored or shown. */
export interface GivenRequest {
  readonly input: Json;
  readonly prompt: string;
}

/** The runtime of an agent, and the state that its runs share. */
export interface Kernel extends Runtime {
  readonly live: Live;
  /** Skill preparations, keyed by the digest of the skill's files or, without files, by the skill itself. */
  readonly preparations: Map<string | object, Preparation>;
  readonly waits: Waits;
  /** Checks the run's result. Only the process that began the run has this function. */
  readonly check?: CallOverrides['check'];
  /** Memory that replaces the session's memory. Only the process that began the run has it. */
  readonly memory?: MemoryMap;
  /**
   * The original input and prompt, if they contain secrets, which are never stored. Only the process that
   * began the run has them.
   */
  readonly given?: GivenRequest;
  /** The resources kept open for sessions, keyed by session id. */
  readonly sessionResources: Map<string, ScopedResources>;
  /**
   * A signal that aborts when the agent shuts down. No new work begins after that; runs can be resumed later.
   */
  readonly closing: AbortSignal;
}

/** A request to add skills to another skill's prompt. */
export interface InjectionRequest {
  readonly skill: Skill;
  readonly names: readonly string[];
  readonly how: InjectionStyle;
  /** Files and folders to search first, as paths relative to the skill's file. */
  readonly paths: readonly string[];
  readonly session: string;
}

/** Text to add to a prompt, with the files and folders of the skills in the text. */
export interface Injection {
  readonly text: string;
  readonly places: readonly string[];
}

/** The access that the settings give to a skill's processes. */
export interface OpenedTo {
  readonly hosts: readonly string[];
  /** Folders that the processes may read. */
  readonly read: readonly string[];
  /**
   * The access of the skill's own code to the workspace. Commands that the user allows may write to the
   * workspace even if this is absent.
   */
  readonly workspace?: 'read' | 'write';
  /** Whether the skill's own code may start processes. */
  readonly processes: boolean;
}

/** The skill that needs a server, with the copy of its files and its permissions. */
export interface ServerAsker {
  readonly skill: Skill;
  /** Whether the user allowed the skill's processes to run without a sandbox. */
  readonly mayRunUncontained: boolean;
  /** The verified copy of the skill's files, if there is one. */
  readonly copy?: string;
}

/** Settings for prompts that do not name a skill. */
interface Routing {
  /** Whether prompts that do not name a skill may select the package's own tools. */
  readonly exposesInternals: boolean;
  /** The assistant's mode for a prompt that no skill fits, unless the request says otherwise. */
  readonly assistant: AssistantMode;
  /** The mode of an assistant for a prompt: step by step (`loop`), or with a plan (`sop`). */
  readonly session: 'loop' | 'sop';
}

/** Everything that the runs of an agent need. Created with the agent. */
export interface Runtime {
  readonly store: Store;
  /**
   * Throws `usage.bad-settings` if a restrictive setting is invalid. No run starts or continues until the
   * setting is fixed.
   */
  readonly checkSettings?: () => void;
  readonly policy: Policy;
  /** The time after which an approval request expires, in milliseconds. */
  readonly approvalMs: number;
  /** Returns the model of a tier, or undefined if there is none. */
  readonly model: (tier: Tier) => Model | undefined;
  /** The absolute path of the folder in which files are read and written. */
  readonly workspace: string | undefined;
  readonly sandboxes: SandboxProvider | undefined;
  /** Creates the runner for skills' code, which runs in separate processes. */
  readonly openCode: () => Promise<CodeRunner>;
  /** Creates the runner for code snippets. */
  readonly openSnippets: () => Promise<SnippetRunner>;
  /** Files and folders that skills' processes can never change, and files that they cannot see. */
  readonly protectedPaths: Pick<Grant, 'readOnly' | 'hide'>;
  /** Returns the environment variables for a skill's processes. */
  readonly environmentOf: (skill: Skill) => Readonly<Record<string, string>>;
  readonly reachOf: (skill: Skill) => OpenedTo;
  /** Whether settings disable commands in skill text. */
  readonly isShellDisabled: () => boolean;
  /** Whether a loaded skill always restricts the conversation to its allowed tools. */
  readonly enforcesTools: () => boolean;
  /** Builds the text that adds skills to another skill's prompt. */
  readonly inject: (registry: Registry, request: InjectionRequest) => Injection;
  readonly redact: Redact;
  readonly limits: RunLimits;
  /** A description of the process and machine, for display. */
  readonly owner: string;
  /** The program's version. Only a log written by the same version has to match the program exactly. */
  readonly version: string;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Returns a random number that is at least 0 and less than 1. */
  readonly random: () => number;
  /** Returns the current skills. */
  readonly registry: () => Registry;
  /** Returns a skill's definition from its family. Throws `skill.invalid` if its descriptor is unusable. */
  readonly definitionOf: (skill: Skill, family: Family) => unknown;
  /** Returns the digest that a skill's files had when the skill was registered. */
  readonly digestOf: (skill: Skill) => string | undefined;
  /** Returns the current digest of a skill's files. */
  readonly digestNow: (skill: Skill) => string | undefined;
  /** Records the digest of a skill's files after this process has changed them, and returns it. */
  readonly renewDigest: (skill: Skill) => string | undefined;
  /**
   * Returns a folder with a verified copy of the skill's files, or undefined if the skill runs from its own
   * folder. The skill's processes run from the copy. Throws `skill.changed` if the files no longer have this
   * digest.
   */
  readonly copyOf: (skill: Skill, digest: string) => string | undefined;
  readonly catalog: (callable: readonly Skill[], query: CatalogQuery) => Promise<ShownCatalog>;
  /** Returns the skills that match a request, best match first. */
  readonly find: (among: readonly Skill[], request: string, limit: number) => Promise<readonly Skill[]>;
  /** Ranks skills by how well they fit a prompt, and reports whether any skill fits. */
  readonly rank: (prompt: string, among: readonly Skill[], limit: number) => Promise<Ranking>;
  /** Settings for prompts that do not name a skill. */
  readonly routing: Routing;
  /** Returns the surroundings of a conversation: the platform and the project's instructions. */
  readonly surroundings: () => Pick<Surroundings, 'platform' | 'program' | 'instructions' | 'unused'>;
  /** Whether a summary of each conversation is kept. */
  readonly summarises: boolean;
  /** Opens the database for records by path or address. Default: the agent's own database. */
  readonly openDatabase: (location: string | undefined) => Promise<Database>;
  /** Returns the names of the configured tool servers. */
  readonly serverNames: () => readonly string[];
  /** Opens a tool server for a skill, by name or description. The server connects on first use. */
  readonly openServer: (which: string | ServerDescription, asker: ServerAsker) => Promise<ToolServer>;
  /** Resources that are not closed when a run ends. */
  readonly resources: ScopedResources;
}

/** The preparation of one skill version. */
export interface Preparation {
  readonly skill: string;
  /** The id of the run that prepares the skill. */
  readonly runId: string;
  /** The result of the preparation. */
  readonly ready: Promise<unknown>;
  /** The result of the preparation. Absent until the preparation has succeeded. */
  result?: { readonly value: unknown };
}

/** For each run, the preparations that it is currently waiting for. */
type Waits = Map<string, Set<string>>;

/** A frame that is waiting for a preparation. */
interface Waiting {
  readonly runId: string;
  readonly preparation: string;
  /** The name of the skill that is being prepared. */
  readonly skill: string;
  /** A signal that aborts when the frame stops. */
  readonly signal: AbortSignal;
}

/**
 * Records that a run waits for a preparation until the returned object is disposed or the frame ends. Throws
 * `limit.cycle` if the preparation is itself waiting for this run.
 */
export function waitFor(waits: Waits, { runId, preparation, skill, signal }: Waiting): Disposable {
  if (reaches(waits, preparation, runId)) {
    throw new AgentError('limit.cycle', `The preparation of "${skill}" depends on itself.`, {
      hint: 'Do not call a skill during its own preparation, or during the preparation of a skill that needs it.',
    });
  }
  const own = waits.get(runId) ?? new Set();
  waits.set(runId, own.add(preparation));
  const forget = (): void => {
    signal.removeEventListener('abort', forget);
    own.delete(preparation);
    if (own.size === 0) waits.delete(runId);
  };
  signal.addEventListener('abort', forget);
  return { [Symbol.dispose]: forget };
}

function reaches(waits: Waits, from: string, to: string): boolean {
  return from === to || [...(waits.get(from) ?? [])].some((next) => reaches(waits, next, to));
}
