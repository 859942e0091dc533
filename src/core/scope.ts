import type { CodeCall, CodeResult, Snippet, SnippetResult } from './code.ts';
import type { Database } from './database.ts';
import type { ErrorData } from './error.ts';
import type { Json } from './json.ts';
import type { Message, Model, Tier } from './model.ts';
import type { Permission } from './policy.ts';
import type { LimitOptions } from './policy/run-limits.ts';
import type { CallMode, Output, Question, CallOverrides } from './run.ts';
import type { Sandbox, ScopeBackground } from './sandbox.ts';
import type { Artifact } from './event-types.ts';
import type { CatalogQuery, FoundSkill, InjectionStyle, ShownCatalog } from './skill.ts';
import type { HistoryOptions, Memory, ScopeContext } from './session.ts';
import type { ProcessInput } from './code.ts';
import type { ServerDescription, ToolServer } from './servers/tool-server.ts';
import type { Skill, SkillCard, Source } from './skill.ts';

/** Options for a single call. */
export interface CallOptions {
  /**
   * A key that identifies the call among the caller's calls. Default: derived from the skill, its input and
   * the number of identical calls before it.
   */
  readonly key?: string;
  /** The limits for this call. Only values tighter than the caller's take effect. */
  readonly limits?: LimitOptions;
  /** The mode of the call. Default: normal execution of the skill. */
  readonly mode?: CallMode;
  /** Settings that replace the skill's own for this call, such as `model` and `maxTicks`. */
  readonly overrides?: CallOverrides;
  /** @deprecated Use `mode`. */
  readonly through?: CallMode;
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
  /** @deprecated Use `permissionOnly`. */
  readonly leaveOnly?: true;
  /**
   * Set to exempt the call from the caller's list of tools for models. The policy still applies. Intended for
   * calls that are specified in the caller's own file.
   */
  readonly asWritten?: true;
  /** Set to check only whether the call is allowed, for callers that do the skill's work themselves. */
  readonly permissionOnly?: true;
  /** An error with which to reject the call. It is recorded, and the skill does not run. */
  readonly refusal?: ErrorData;
  readonly process?: ProcessInput;
  /**
   * A signal that cancels the call and all nested calls once the call has started. The call then ends with
   * `usage.cancelled`. A call that is still waiting for approval is not affected.
   */
  readonly signal?: AbortSignal;
  /** Called when the call or a nested call starts waiting for human input, and again after a restart. */
  readonly onWait?: () => void;
}

/** A skill that exists only in one frame. Its family creates it, for example from a server's tool. */
export interface ProvidedSkill {
  /** The skill's name, used verbatim. It does not need to follow the rules for skill names. */
  readonly name: string;
  readonly source: Source;
  /** The skill's card. Its `label` is also the label in permission rules. */
  readonly card: SkillCard;
  readonly permission: Permission;
  /** A value that identifies the skill's version. */
  readonly digest: string;
  /**
   * Runs the skill. Failures are returned as data. The input has already been validated against the card's
   * schema. The skill cannot call other skills.
   */
  run(input: Json, scope: Scope): Promise<Output>;
}

/** The lifetime of an opened resource. */
export type Lifetime = 'run' | 'session' | 'agent';

/** Information about the run that a call belongs to. */
export interface ScopeRun {
  readonly id: string;
  readonly frameId: string;
  /** The depth of this call's frame. A run's first frame has depth 1. */
  readonly depth: number;
  readonly session: string;
  /** The user's roles, as specified by the host program. Empty unless the request sets them. */
  readonly roles: readonly string[];
  /** A key that stays the same when this call is retried and is never shared with another call. */
  readonly idempotencyKey: string;
}

/** The call options that the caller set, without the input. */
export interface ScopeRequest {
  readonly overrides: CallOverrides;
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
  /** Set if the user approved only this call, so that the next call requires another approval. */
  readonly isApproved?: true;
  /** Set if the input is a prompt that does not name the skill. Its words are not parsed as arguments. */
  readonly isPrompt?: true;
  /** The stdin for the call's processes. Empty unless the caller set it. */
  readonly stdin: string;
}

/** The skills available to a call. */
export interface ScopeSkills {
  /** The skills that this call may call. */
  readonly callable: readonly Skill[];
  /** The skills that the caller may call, as listed in the caller's catalog. */
  readonly listed: readonly Skill[];
  /** The skill that searches all skills. Set if it must be offered only with an incomplete catalog. */
  readonly search?: Skill | undefined;
  /** Finds a skill by name or alias, whether or not it can be called. */
  lookUp(name: string): Skill | undefined;
  /** Whether a skill can be loaded into a conversation with `call` and `mode: 'load'`. */
  isLoadable(skill: Skill): boolean;
  /** Returns the names and descriptions of the listed skills that best fit a request. */
  find(request: string, limit: number): Promise<readonly FoundSkill[]>;
  /** Returns the catalog of callable skills for a model. */
  catalog(query?: CatalogQuery): Promise<ShownCatalog>;
  /**
   * Returns text about the named skills for a prompt, in the order of `names`: their full text, or their
   * descriptions and locations. Includes skills that models cannot choose. The `paths`, relative to the
   * calling skill's file, are searched first. Throws `skill.not-found` if a skill cannot be used.
   */
  inject(names: readonly string[], how: InjectionStyle, paths?: readonly string[]): Promise<string>;
  /**
   * Adds skills that exist only in this frame. If the frame restarts, it must add them again. Returns the
   * added skills that all callers' tool lists allow, in the same form as in `callable`.
   */
  provide(skills: readonly ProvidedSkill[]): readonly Skill[];
}

/** The files that a call can read and write. */
export interface ScopeFiles {
  /** The absolute path of the folder that the run reads from and writes to. Undefined if there is none. */
  readonly workspace: string | undefined;
  /**
   * The files and folders outside the workspace that the call can read: those of the calling skill, and those
   * of the skills that it lists, has loaded or was given.
   */
  readonly readable: readonly string[];
}

/** The functions that run code for a call. */
export interface ScopeProcesses {
  /**
   * Opens the call's sandbox on first use. The sandbox closes with the frame. Only a skill defined in code
   * can add readable folders.
   */
  sandbox(read?: readonly string[]): Promise<Sandbox>;
  /** The commands that the calling conversation runs in the background. */
  readonly background: ScopeBackground;
  /**
   * Calls a function in the skill's own files. Later calls to the same version by the same user can reuse the
   * process. Only the effects of host functions are recorded, so the function is called again after a crash.
   */
  runCode(call: CodeCall): Promise<CodeResult>;
  /**
   * Runs a snippet without access to the host. Each snippet is a separate step with a recorded result, so a
   * completed snippet never runs again. An interrupted snippet runs again and repeats its function calls.
   */
  runSnippet(snippet: Snippet): Promise<SnippetResult>;
}

/** Resources that can outlive a call. */
export interface ScopeResources {
  /**
   * Opens a resource once per skill and key. Its `close` or async dispose method is called when its lifetime
   * ends.
   */
  open<Resource>(key: string, lifetime: Lifetime, open: () => Promise<Resource>): Promise<Resource>;
  /**
   * Opens the database in which skills keep records, or another database by its path or URL. The connection
   * is opened on first use and shared. Write to the database inside a step, and include the step's key in the
   * written data.
   */
  database(location?: string): Promise<Database>;
  /** The names of the MCP servers in the settings. */
  readonly servers: readonly string[];
  /**
   * Returns an MCP server: one from the settings by name, or one that the skill describes. All calls in a
   * session share the server, which is closed with the session. Throws `usage.bad-settings` for an unknown
   * name.
   */
  server(which: string | ServerDescription): Promise<ToolServer>;
}

/**
 * Everything that a running skill can access. After a crash, the skill restarts from the beginning. The scope
 * then returns the recorded results and does not repeat effects.
 */
export interface Scope extends EarlierScope {
  readonly skill: Skill;
  /** A signal that aborts when the run or this call must stop. Its reason says why. */
  readonly signal: AbortSignal;
  readonly run: ScopeRun;
  readonly request: ScopeRequest;
  readonly skills: ScopeSkills;
  readonly files: ScopeFiles;
  readonly processes: ScopeProcesses;
  readonly resources: ScopeResources;
  readonly context: ScopeContext;
  /** The session's stored values, scoped to the skill. */
  readonly memory: Memory;
  /**
   * Performs an effect once and returns its value, even if replayed after a crash. This is the only primitive
   * that writes to the journal. An effect that started but did not end runs again with the same idempotency
   * key. A key identifies one effect within the frame, and `request` describes it exactly. Using the same key
   * with a different request throws `internal.diverged`.
   */
  step<Value extends Json>(
    key: string,
    effect: (idempotencyKey: string) => Promise<Value> | Value,
    request?: Json,
  ): Promise<Value>;
  /** Calls a skill in a nested frame. This is the only form of recursion. Failures are returned as data. */
  call(name: string, input: Json, options?: CallOptions): Promise<Output>;
  /** Returns the model for a tier. Its requests are metered and journalled. */
  model(tier: Tier): Model;
  /**
   * Returns the latest turns of the calling conversation, up to about `tokens` tokens. For the first skill of
   * a turn, these are the session's turns, with their calls and results. Empty if there are none.
   */
  history(tokens: number, options?: HistoryOptions): Promise<readonly Message[]>;
  /** Asks the user a question. The promise stays pending until someone answers, even across a restart. */
  ask(question: Question | string): Promise<Json>;
  /** Returns the current time, in milliseconds since the Unix epoch. */
  now(): Promise<number>;
  /** Returns a random number that is at least 0 and less than 1. */
  random(): Promise<number>;
  /** Adds a progress message for observers. */
  note(message: string, data?: Json): void;
  /** Stores an artifact with the run. */
  artifact(artifact: Artifact): void;
  /** Extends trust in a bundle to one that was generated from it. Only for skills defined in code. */
  attest(generated: Attestation): Promise<void>;
}

/** A statement that the bundle with the digest `to` was generated from the bundle with the digest `from`. */
export interface Attestation {
  readonly dir: string;
  readonly from: string;
  readonly to: string;
}

/** The scope's members under the names that they had in release 0.1. */
interface EarlierScope {
  /** @deprecated Use `run.id`. */
  readonly runId: ScopeRun['id'];
  /** @deprecated Use `run.frameId`. */
  readonly frameId: ScopeRun['frameId'];
  /** @deprecated Use `run.depth`. */
  readonly depth: ScopeRun['depth'];
  /** @deprecated Use `run.session`. */
  readonly session: ScopeRun['session'];
  /** @deprecated Use `run.roles`. */
  readonly roles: ScopeRun['roles'];
  /** @deprecated Use `run.idempotencyKey`. */
  readonly idempotencyKey: ScopeRun['idempotencyKey'];
  /** @deprecated Use `request.overrides`. */
  readonly wanted: ScopeRequest['overrides'];
  /** @deprecated Use `request.stdin`. */
  readonly stdin: ScopeRequest['stdin'];
  /** @deprecated Use `skills.callable`. */
  readonly callable: ScopeSkills['callable'];
  /** @deprecated Use `skills.listed`. */
  readonly listed: ScopeSkills['listed'];
  /** @deprecated Use `skills.lookUp`. */
  readonly lookUp: ScopeSkills['lookUp'];
  /** @deprecated Use `skills.isLoadable`. */
  readonly isLoadable: ScopeSkills['isLoadable'];
  /** @deprecated Use `skills.find`. */
  readonly find: ScopeSkills['find'];
  /** @deprecated Use `skills.catalog`. */
  readonly catalog: ScopeSkills['catalog'];
  /** @deprecated Use `skills.inject`. */
  readonly inject: ScopeSkills['inject'];
  /** @deprecated Use `skills.provide`. */
  readonly provide: ScopeSkills['provide'];
  /** @deprecated Use `files.workspace`. */
  readonly workspace: ScopeFiles['workspace'];
  /** @deprecated Use `files.readable`. */
  readonly readable: ScopeFiles['readable'];
  /** @deprecated Use `processes.sandbox`. */
  readonly sandbox: ScopeProcesses['sandbox'];
  /** @deprecated Use `processes.runCode`. */
  readonly runCode: ScopeProcesses['runCode'];
  /** @deprecated Use `processes.runSnippet`. */
  readonly runSnippet: ScopeProcesses['runSnippet'];
  /** @deprecated Use `resources.open`. */
  readonly keep: ScopeResources['open'];
  /** @deprecated Use `resources.database`. */
  readonly database: ScopeResources['database'];
  /** @deprecated Use `resources.servers`. */
  readonly servers: ScopeResources['servers'];
  /** @deprecated Use `resources.server`. */
  readonly server: ScopeResources['server'];
  /** @deprecated Use `history`. */
  heard(tokens: number): Promise<readonly Message[]>;
  /** @deprecated Use `attest`. */
  vouch(generated: Attestation): Promise<void>;
}
