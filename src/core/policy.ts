import type { Json } from './json.ts';
import type { Source } from './skill.ts';

/** A skill's description for rules and policies: what its calls do, and which of them need approval. */
export interface Permission {
  /** The skill's name in rules, such as `Read`. */
  readonly label?: string;
  /** Whether the skill only reads: it changes nothing and sends nothing anywhere. */
  readonly readOnly?: boolean;
  /** A sentence that describes the skill's effects to the user who is asked to approve a call. */
  readonly effect?: string;
  /** Whether the skill starts processes on this machine. */
  readonly runsProcesses?: boolean;
  /** Whether the skill's own code runs in processes on this machine and decides what they do. */
  readonly runsOwnCode?: boolean;
  /**
   * Whether a call with this input affects only the caller's folder. If so, trust in the calling skill is
   * enough to allow it.
   */
  readonly isOwn?: (input: Json, callerDir: string) => boolean;
  /** Whether the pattern of a rule, such as `src/**` in `Read(src/**)`, matches this input. Pure. */
  readonly matches?: (spec: string, input: Json, workspace: string) => boolean;
  /**
   * Whether a call with this input could affect something that a rule's pattern matches. Rules that forbid a
   * call or require approval use this method instead of `matches`.
   */
  readonly mayTouch?: (spec: string, input: Json, workspace: string) => boolean;
  /** Returns the file paths in an input, exactly as written. Pure. */
  readonly touches?: (input: Json) => readonly string[];
  /**
   * Returns the reason why this input always needs approval, even if a rule allows it. Returns undefined if
   * the policy alone decides.
   */
  readonly alwaysAsks?: (input: Json, workspace: string) => string | undefined | Promise<string | undefined>;
  /** Returns the protected path that a call with this input would change, if any. May read from disk. */
  readonly protects?: (input: Json, workspace: string) => Protection | undefined;
  /**
   * The version that the user reviewed. All approvals, including those by rules, apply only to this version.
   */
  readonly pin?: Pin;
  /**
   * Splits an input into the actions that it would perform. Rules are checked against each action. May read
   * from disk.
   */
  readonly parts?: (input: Json, workspace: string) => InputParts;
}

/** A protected path. Only a rule that names it can allow changes, and the user is still asked each time. */
export interface Protection {
  readonly reason: string;
  readonly hint: string;
  /** Whether a rule's pattern names a protected path explicitly instead of matching everything. */
  isNamedBy(spec: string): boolean;
}

/** The version of an external item that can change, such as a tool on a server. */
export interface Pin {
  /** A key that identifies the external item and stays the same across its versions. */
  readonly key: string;
  readonly hash: string;
  /** The display name shown to users. */
  readonly name: string;
}

/**
 * An input that is split into actions. Command lines are split into simple commands, and symbolic links in
 * paths are resolved.
 */
export interface InputParts {
  /** The actions. Each has the shape of an input. */
  readonly parts: readonly Json[];
  /** Whether the actions cover the entire input. If not, an allow rule with a pattern cannot match it. */
  readonly areAll: boolean;
  /**
   * Other forms of the same input, such as a command without its program's path. Only deny and ask rules are
   * checked against them.
   */
  readonly suspected?: readonly Json[];
  /** The rule pattern to propose to the user for an approval that lasts beyond this call. */
  readonly offer?: string;
  /** Set if the input could not be parsed completely. Any rule that restricts the tool then applies. */
  readonly isUnread?: true;
  /**
   * Set if the input creates git repositories. The user is asked each time, regardless of the rules. After
   * approval, the sandbox keeps the new repositories.
   */
  readonly makesRepositories?: true;
}

/** The properties of a skill that a policy can check. */
export interface PermissionSubject {
  readonly skill: string;
  /** The skill's other names. */
  readonly aliases: readonly string[];
  readonly source: Source;
  /** Set if the lock of the user's own skills lists the skill, so that someone else wrote it. */
  readonly isInstalled?: true;
  /** Whether the skill was defined in code, by the host or by this package. */
  readonly isDefinedInCode: boolean;
  /** @deprecated Use `isDefinedInCode`. */
  readonly made?: boolean;
  /** The skill's bundle folder, or an empty string for a skill defined in code. */
  readonly dir: string;
  /** Returns the current digest of the skill's files, or undefined for a skill without files. */
  readonly digest: () => string | undefined;
  /** The rules in the skill's own tool list. */
  readonly tools?: readonly string[];
}

/** The properties of a skill that determine whether it is trusted. */
export type TrustSubject = Pick<PermissionSubject, 'source' | 'digest'> &
  Partial<Pick<PermissionSubject, 'skill' | 'dir' | 'isInstalled'>>;

/** A call that is about to happen. */
export interface PermissionRequest extends PermissionSubject {
  readonly family: string;
  /** Whether the skill can run code that ships with it. */
  readonly runsCode: boolean;
  readonly permission: Permission;
  readonly input: Json;
  /** The absolute path of the folder for reading and writing files. */
  readonly workspace: string | undefined;
  /** Whether a sandbox would limit the call's processes to the granted resources. */
  readonly isSandboxed: boolean;
  /** @deprecated Use `isSandboxed`. */
  readonly contained?: boolean;
  /**
   * Whether the user has already approved the rule, for this call or for longer. If so, the policy continues
   * with its remaining checks.
   */
  readonly isAllowed?: (question: { readonly rule: string; readonly version?: SkillVersion }) => boolean;
  /**
   * The calling skill. Absent if a user makes the call. A calling skill that runs code has already been
   * approved to run code.
   */
  readonly caller?: PermissionSubject & { readonly runsCode?: () => boolean };
  /** The skills that the calling conversation has loaded. */
  readonly active?: readonly PermissionSubject[];
}

/**
 * The skill version that an approval for more than one run is bound to. Changing a single byte of the skill's
 * files ends the approval.
 */
export interface SkillVersion {
  readonly skill: string;
  readonly digest: string;
}

/** A policy's decision about a call. */
export type Decision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string; readonly hint?: string }
  | {
      readonly decision: 'ask';
      readonly reason: string;
      /** The rule to allow if the approval lasts beyond this call. */
      readonly rule: string;
      /** Set if every call needs its own approval, regardless of what was allowed before. */
      readonly each?: true;
      /**
       * The version to which an approval beyond this run applies. If absent, no such approval is possible.
       */
      readonly version?: SkillVersion;
      /** The version of an external item to which an approval beyond this call is also bound. */
      readonly pin?: Pin;
    };

/** A user's approval that lasts until a skill's files change. */
export interface LastingApproval extends SkillVersion {
  readonly rule: string;
  /** The skill's bundle folder, for display to users. */
  readonly dir: string;
  /** The reviewed version of the external item. The approval ends when this version changes. */
  readonly pin?: Pin;
}

/** Rules as users write them: `deny` takes precedence over `ask`, and `ask` over `allow`. */
export interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** The names of tools that the host registers. Rules can use them in addition to the built-in tools. */
  readonly tools?: readonly string[];
}

/** The position of a permission rule in a settings file. */
export interface RulePosition {
  readonly kind: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly file: string;
  /** The one-based line number. */
  readonly line?: number;
}

/** The single checkpoint that every call must pass. */
export interface Policy {
  /** Decides whether a call is allowed. Must not throw. */
  decide(request: PermissionRequest): Decision | Promise<Decision>;
  /** Stores an approval for a skill's version. Without this method, no approval lasts longer than a run. */
  remember?(approval: LastingApproval): void | Promise<void>;
  /** Extends trust from the files with the digest `from` to files generated from them on this machine. */
  inherit?(from: string, to: SkillVersion & { readonly dir: string }): void | Promise<void>;
  /**
   * Whether the user trusts a skill's current files. Without this method, files from a project, a package or
   * a server are not trusted. Must not throw.
   */
  trusts?(subject: Pick<PermissionSubject, 'source' | 'digest'> & { readonly dir?: string }): boolean;
}

/** An approval request as shown to the user. */
export interface ApprovalRequest {
  /** Set if every call needs a separate approval. An approval for the run then allows only this call. */
  readonly each?: true;
  readonly skill: string;
  readonly input: Json;
  readonly reason: string;
  readonly rule: string;
  readonly caller?: string;
  /** The version that `{allow: 'version'}` applies to. If absent, that decision is not possible. */
  readonly version?: SkillVersion;
  /** The version of an external item that an approval beyond this call applies to. */
  readonly pin?: Pin;
  /** The time, in milliseconds since the Unix epoch, after which no decision is accepted. */
  readonly expires?: number;
}

/**
 * A user's decision: allow only this call; allow all calls under the same rule, in this run or for this
 * version of the skill; or deny the call.
 */
export type Approval =
  | { readonly allow: 'once' | 'run' | 'version' }
  /** The text in `deny` is the reason, which the caller receives. */
  | { readonly deny: string; readonly expired?: true };
