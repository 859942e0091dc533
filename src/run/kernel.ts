import {
  AgentError,
  type CatalogQuery,
  type CodeRunner,
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
  type Wanted,
} from '../core/index.ts';
import type { Ranking } from '../skills/rank/skill-ranking.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { Keeper } from './calls/scoped-resources.ts';
import type { Live } from './lifecycle/live-runs.ts';

/** What a run was asked for, secrets included: it is never kept and never shown. */
export interface GivenRequest {
  readonly input: Json;
  readonly prompt: string;
}

/** A runtime with what its runs share while they go on. */
export interface Kernel extends Runtime {
  readonly live: Live;
  /** What families made of skills before their first use, by digest or by the skill itself. */
  readonly preparations: Map<string | object, Preparation>;
  readonly waits: Waits;
  /** Looks at the value that the run comes to; only the process that began it can. */
  readonly check?: Wanted['check'];
  /** Stands in for the memory of the session; only the process that began the run knows it. */
  readonly memory?: MemoryMap;
  /** Input and prompt of the run as they were meant, where they hold secrets that are not kept; only the process that began it knows them. */
  readonly given?: GivenRequest;
  /** What is kept open for sessions, by their ids. */
  readonly sessionKeepers: Map<string, Keeper>;
  /** Aborted when the agent is shut down: nothing begins after that, and what goes on is left to be resumed. */
  readonly closing: AbortSignal;
}

/** Skills that a skill wants in its prompt. */
export interface InjectionRequest {
  readonly skill: Skill;
  readonly names: readonly string[];
  readonly how: InjectionStyle;
  /** Files and folders that are looked through first, relative to the file of the skill. */
  readonly paths: readonly string[];
  readonly session: string;
}

/** A text for a prompt, and the files and folders that it tells of. */
export interface Injection {
  readonly text: string;
  readonly places: readonly string[];
}

/** What settings open to the processes of a skill. */
export interface OpenedTo {
  readonly hosts: readonly string[];
  /** Folders that they may read. */
  readonly read: readonly string[];
  /** What its own code may do with the workspace; commands that people allow may write there anyway. */
  readonly workspace?: 'read' | 'write';
  /** Whether its own code may start processes. */
  readonly processes: boolean;
}

/** The skill that asks for a server. */
export interface ServerAsker {
  readonly skill: Skill;
  /** A person allowed its processes to run where nothing contains them. */
  readonly mayRunUncontained: boolean;
  /** The checked copy of its files, where there is one. */
  readonly copy?: string;
}

/** How prompts are handled that name no skill. */
interface Routing {
  /** Whether the package's own tools are among what they may lead to. */
  readonly exposesInternals: boolean;
  /** How a skill works that is made for a prompt. */
  readonly session: 'loop' | 'sop';
}

/** Everything that runs of one agent stand on; chosen once, by whoever makes the agent. */
export interface Runtime {
  readonly store: Store;
  /** Throws `usage.bad-settings` while settings that forbid something cannot be used: no run starts or continues then. */
  readonly checkSettings?: () => void;
  readonly policy: Policy;
  /** Milliseconds after which nobody can decide any more what a run asks for. */
  readonly approvalMs: number;
  /** The model of a tier; undefined when there is none. */
  readonly model: (tier: Tier) => Model | undefined;
  /** The folder that files are read from and written to, absolute. */
  readonly workspace: string | undefined;
  readonly sandboxes: SandboxProvider | undefined;
  /** Makes what calls the code of skills in processes of its own. */
  readonly openCode: () => Promise<CodeRunner>;
  /** Makes what runs snippets. */
  readonly openSnippets: () => Promise<SnippetRunner>;
  /** Files and folders that no process of a skill changes, and files that it does not see, wherever it may write. */
  readonly guarded: Pick<Grant, 'keep' | 'hide'>;
  /** The variables that a process of a skill finds. */
  readonly environmentOf: (skill: Skill) => Readonly<Record<string, string>>;
  readonly reachOf: (skill: Skill) => OpenedTo;
  /** Whether commands in the texts of skills may not run. */
  readonly isShellDisabled: () => boolean;
  /** Whether a skill that is loaded always lets nothing but its allowed tools be used. */
  readonly enforcesTools: () => boolean;
  /** Puts skills into a prompt, by their names. */
  readonly inject: (registry: Registry, request: InjectionRequest) => Injection;
  readonly redact: Redact;
  readonly limits: RunLimits;
  /** Who works here, for people: process and machine. */
  readonly owner: string;
  /** Of the program: only within one version must a log and the program agree. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The skills as they are now. */
  readonly registry: () => Registry;
  /** What the family made of a skill's descriptor; throws `skill.invalid` where it cannot be used. */
  readonly definitionOf: (skill: Skill, family: Family) => unknown;
  /** Of a skill's files as they were when it was registered. */
  readonly digestOf: (skill: Skill) => string | undefined;
  /** Of a skill's files as they are at this moment. */
  readonly digestNow: (skill: Skill) => string | undefined;
  /** The same, after this process changed them; from now on these are the registered ones. */
  readonly renewDigest: (skill: Skill) => string | undefined;
  /**
   * A folder that holds exactly the files of this digest, which processes of the skill run from; undefined where there is
   * none. Throws `skill.changed` where the files are others by now.
   */
  readonly copyOf: (skill: Skill, digest: string) => string | undefined;
  readonly catalog: (callable: readonly Skill[], query: CatalogQuery) => Promise<ShownCatalog>;
  /** Those of some skills that fit a request best, best first. */
  readonly find: (among: readonly Skill[], request: string, limit: number) => Promise<readonly Skill[]>;
  /** Skills in the order in which they fit a prompt, and whether any does. */
  readonly rank: (prompt: string, among: readonly Skill[], limit: number) => Promise<Ranking>;
  /** How prompts are handled that name no skill. */
  readonly routing: Routing;
  /** Whether a summary of each conversation is kept. */
  readonly summarises: boolean;
  /** Opens where skills keep records, by path or address; the one of the agent unless given. */
  readonly openDatabase: (place: string | undefined) => Promise<Database>;
  /** The names of the servers of tools that settings know. */
  readonly serverNames: () => readonly string[];
  /** Makes a server of tools for a skill, by its name or its description; it connects when it is first asked. */
  readonly openServer: (which: string | ServerDescription, asker: ServerAsker) => Promise<ToolServer>;
  /** What outlives single runs. */
  readonly keeper: Keeper;
}

/** What a skill is made ready by, once per version. */
export interface Preparation {
  readonly skill: string;
  /** The run that does it. */
  readonly runId: string;
  /** What its family made of the skill. */
  readonly ready: Promise<unknown>;
  /** The same once it is there. */
  made?: { readonly value: unknown };
}

/** Which runs wait for which preparations, at this moment. */
type Waits = Map<string, Set<string>>;

/** A frame that waits for a preparation. */
interface Waiting {
  readonly runId: string;
  readonly preparation: string;
  /** The skill that is prepared. */
  readonly skill: string;
  /** Aborted when the frame does not go on. */
  readonly signal: AbortSignal;
}

/** Notes that a run waits for a preparation, until the scope ends or the frame does; throws `limit.cycle` when that one waits for this run. */
export function waitFor(waits: Waits, { runId, preparation, skill, signal }: Waiting): Disposable {
  if (reaches(waits, preparation, runId)) {
    throw new AgentError('limit.cycle', `The preparation of "${skill}" needs itself.`, {
      hint: 'Do not call a skill while it, or a skill that needs it, is prepared.',
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
