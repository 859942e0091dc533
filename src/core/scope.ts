import type { CodeCall, CodeResult, Snippet, SnippetResult } from './code.ts';
import type { Database } from './database.ts';
import type { Json } from './json.ts';
import type { Message, Model, Tier } from './model.ts';
import type { Permission } from './policy.ts';
import type { RunLimits } from './run-limits.ts';
import type { Entrance, Output, Question, Wanted } from './run.ts';
import type { Sandbox } from './sandbox.ts';
import type { ServerDescription, ToolServer } from './servers/tool-server.ts';
import type { Skill, SkillCard, Source } from './skill.ts';

/** How a call differs from an ordinary one. */
export interface CallOptions {
  /** Tells it from the caller's other calls; skill, input and occurrence unless given. */
  readonly key?: string;
  /** Only what is tighter than the caller's own counts. */
  readonly limits?: Partial<RunLimits>;
  /** The way into the skill; its ordinary work unless said. */
  readonly through?: Entrance;
  readonly wanted?: Wanted;
  /** The text of the caller's own file makes the call, and no model: the tools listed for its model do not bind it. The policy does. */
  readonly asWritten?: true;
  /** Only asks whether it may be called, for a caller that then does the same itself: nothing of the skill is done. */
  readonly leaveOnly?: true;
  readonly process?: ProcessInput;
  /** Calls it off, and all below it, once it has begun: it ends as `usage.cancelled`. One that is asked about waits on. */
  readonly signal?: AbortSignal;
  /** Called whenever it comes to wait for a person, itself or something below it; once more after a restart. */
  readonly onWait?: () => void;
}

/** What the processes of a call find besides what the skill itself has. */
export interface ProcessInput {
  /** Variables; their names begin with `SKILLED_`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Whether a prompt gets the whole texts of skills, or where to find them. */
export type InjectionStyle = 'full' | 'light';

/** A skill as a search shows it. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
}

/** A skill that is there for one frame alone: what its family makes of something outside, as of a tool of a server. */
export interface ProvidedSkill {
  /** Taken as it is, without regard to the rules for names of skills. */
  readonly name: string;
  /** Where it comes from. */
  readonly source: Source;
  /** Its `label` is that of the permission. */
  readonly card: SkillCard;
  readonly permission: Permission;
  /** Tells its versions apart. */
  readonly digest: string;
  /** Failures are data; the input fits the schema of the card. It can call nothing. */
  run(input: Json, scope: Scope): Promise<Output>;
}

/** How long something that was opened is kept. */
export type Lifetime = 'run' | 'session' | 'agent';

/** The call as part of its run. */
export interface ScopeRun {
  readonly id: string;
  readonly frameId: string;
  /** 1 for the first frame of a run. */
  readonly depth: number;
  readonly session: string;
  /** What the user may do, in the words of whoever gave them these roles; none unless the request names some. */
  readonly roles: readonly string[];
  /** The same whenever this call is tried again, and never that of another one. */
  readonly idempotencyKey: string;
}

/** What the caller asked for, beside the input. */
export interface ScopeRequest {
  readonly wanted: Wanted;
  /** A person approved this very call, and would be asked about the next one as well. */
  readonly isApproved?: true;
  /** What its processes can read from stdin; empty unless the caller gave something. */
  readonly stdin: string;
}

/** The skills around a call. */
export interface ScopeSkills {
  /** The skills that it may call. */
  readonly callable: readonly Skill[];
  /** The skills that its caller may call: what a catalog in front of it lists. */
  readonly listed: readonly Skill[];
  /** The skill that a name leads to, whether or not it may be called. */
  lookUp(name: string): Skill | undefined;
  /** Whether a skill can be loaded into a conversation: `call` with `through: 'load'`. */
  isLoadable(skill: Skill): boolean;
  /** Names and descriptions of the listed skills that fit a request best. */
  find(request: string, limit: number): Promise<readonly FoundSkill[]>;
  /** What a model is shown of the callable skills. */
  catalog(query?: CatalogQuery): Promise<ShownCatalog>;
  /**
   * Skills for a prompt, by their names and in that order, also those that no model may choose: their texts, or what
   * they are for and where to read them. Paths are searched first, relative to the skill's own file. Throws
   * `skill.not-found` for one that cannot be used.
   */
  inject(names: readonly string[], how: InjectionStyle, paths?: readonly string[]): Promise<string>;
  /**
   * Adds skills that exist in this frame alone; a frame that starts again provides them again. Returns those which the
   * tool lists of all callers let it call, as they are in `callable`.
   */
  provide(skills: readonly ProvidedSkill[]): readonly Skill[];
}

/** The files that a call may read and write. */
export interface ScopeFiles {
  /** The folder that files are read from and written to, absolute; undefined when the run has none. */
  readonly workspace: string | undefined;
  /** Folders and files beside the workspace that may be read: those of the skills that its caller is, lists, loaded or was given. */
  readonly readable: readonly string[];
}

/** Where a call runs code. */
export interface ScopeProcesses {
  /** Opened on first use, closed with the frame. Only a skill defined in code may name more folders to read. */
  sandbox(read?: readonly string[]): Promise<Sandbox>;
  /**
   * Calls a function in the skill's own files, in a process that later calls of the same version by the same user may
   * share. Only what its host functions do is recorded: after a crash it is called again.
   */
  runCode(call: CodeCall): Promise<CodeResult>;
  /**
   * Runs a snippet where it finds nothing of the host. It is a step of its own: its result is recorded, and one with a
   * result never runs again. One that was interrupted runs again, and its functions are called again.
   */
  runSnippet(snippet: Snippet): Promise<SnippetResult>;
}

/** What outlives a call. */
export interface ScopeResources {
  /** Opens something once per skill and key; it is closed by its `close` or async dispose when its lifetime ends. */
  open<Resource>(key: string, lifetime: Lifetime, open: () => Promise<Resource>): Promise<Resource>;
  /**
   * The database in which skills keep records, or another one by its path or address; opened on first use and shared.
   * Write to it in a step, with the key of that step among what is written.
   */
  database(place?: string): Promise<Database>;
  /** The names of the MCP servers that settings know. */
  readonly servers: readonly string[];
  /**
   * An MCP server: one that settings know by its name, or one that the skill describes. The calls of a session share it,
   * and it is closed with the session. Throws `usage.bad-settings` for an unknown name.
   */
  server(which: string | ServerDescription): Promise<ToolServer>;
}

/**
 * Everything that a running skill may touch. What it learns from here survives a crash: after one, the skill runs again
 * from its start and gets the same answers without their effects happening again.
 */
export interface Scope {
  readonly skill: Skill;
  /** Aborted when the run or this call has to stop, with the reason. */
  readonly signal: AbortSignal;
  readonly run: ScopeRun;
  readonly request: ScopeRequest;
  readonly skills: ScopeSkills;
  readonly files: ScopeFiles;
  readonly processes: ScopeProcesses;
  readonly resources: ScopeResources;
  /** Values of the session, separate for each skill. */
  readonly memory: Memory;
  /**
   * The only journalled primitive: does something once and gives its value, now and after a crash.
   * One that was begun but did not end is done again with the same idempotency key. A key names one effect of the
   * frame; `request` says what exactly it is, and the same key with another request is `internal.diverged`.
   */
  step<Value extends Json>(
    key: string,
    effect: (idempotencyKey: string) => Promise<Value> | Value,
    request?: Json,
  ): Promise<Value>;
  /** The only recursion: calls a skill one frame deeper. Its failure is data. */
  call(name: string, input: Json, options?: CallOptions): Promise<Output>;
  /** The model of a tier, metered and journalled. */
  model(tier: Tier): Model;
  /**
   * The last turns of the conversation that it is called from, about so many tokens at most; for the first skill of a
   * turn, those of its session. Empty when there is none.
   */
  history(tokens: number): Promise<readonly Message[]>;
  /** Asks a person; pending until somebody answers, even if that takes a restart. */
  ask(question: Question | string): Promise<Json>;
  /** Milliseconds since 1970. */
  now(): Promise<number>;
  /** From 0 up to 1. */
  random(): Promise<number>;
  /** A line for whoever watches. */
  note(message: string, data?: Json): void;
  /** Keeps something that was made with the run. */
  artifact(artifact: Artifact): void;
  /**
   * Only for a skill defined in code: it generated the files of a bundle with the digest `to` from those with the digest
   * `from`. Whoever trusts the latter trusts the former.
   */
  attest(made: { readonly dir: string; readonly from: string; readonly to: string }): Promise<void>;
}

/** Something that a skill made, kept with its run so that people can look at it and use it again. */
export interface Artifact {
  /** What tells it from the others of its run, as a path does. */
  readonly name: string;
  readonly mediaType: string;
  /** Cut after a million characters. */
  readonly text: string;
  /** What is needed to use it again, such as the input of a snippet. */
  readonly data?: Json;
}

/** Values of a session that a skill keeps for its later calls. */
export interface Memory {
  /** As the last ended call of this skill left it, or as this call has set it. */
  get(key: string): Promise<Json | undefined>;
  /** Counts for others when this call has ended well; a call that fails leaves nothing. */
  set(key: string, value: Json): void;
  delete(key: string): void;
}

/** What a catalog is made for. */
export interface CatalogQuery {
  /** Decides which skills are shown when not all fit. */
  readonly request?: string;
  /** Only skills that can be loaded into a conversation. */
  readonly loadable?: true;
  readonly maxSkills?: number;
  readonly maxChars?: number;
}

/** A catalog as a model sees it, and what is not in it. */
export interface ShownCatalog {
  readonly text: string;
  readonly shown: number;
  /** Names, sorted in code units. */
  readonly omitted: readonly string[];
}
