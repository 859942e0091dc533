import type { Json } from './json.ts';
import type { Source } from './skill.ts';

/** How permission rules see a skill. */
export interface Permission {
  /** The word by which rules name it, such as `Read`. */
  readonly label?: string;
  /** It changes nothing and sends nothing anywhere. */
  readonly readOnly?: boolean;
  /** What it does to the world, in a sentence for whoever is asked. */
  readonly effect?: string;
  /** It starts processes on this machine. */
  readonly runsProcesses?: boolean;
  /** The code of a skill runs in processes on this machine, which decide for themselves what they do. */
  readonly runsOwnCode?: boolean;
  /** Whether an input is about nothing but the folder of the skill that calls; whoever trusts that skill allowed it. */
  readonly isOwn?: (input: Json, callerDir: string) => boolean;
  /** Whether what stands between the brackets of a rule, as `src/**` in `Read(src/**)`, means this input; pure. */
  readonly matches?: (spec: string, input: Json, workspace: string) => boolean;
  /** Whether an input could reach something that the brackets of a rule mean; in place of `matches` for rules that forbid. */
  readonly mayTouch?: (spec: string, input: Json, workspace: string) => boolean;
  /** The files that an input is about, as they are written in it; pure. */
  readonly touches?: (input: Json) => readonly string[];
  /** Why a person is asked about this input each time, whatever allows it; undefined where the policy alone decides. */
  readonly alwaysAsks?: (input: Json, workspace: string) => string | undefined;
  /** The protected path that an input would change; undefined where it changes none. May look at the disk. */
  readonly protects?: (input: Json, workspace: string) => Protection | undefined;
  /** What it was when somebody looked at it: whatever is allowed holds for this version alone, also where a rule allows it. */
  readonly pin?: Pin;
  /** What an input really does, in one or several parts, each of which rules are held against by itself; may look at the disk. */
  readonly parts?: (input: Json, workspace: string) => Parts;
}

/** What only a rule can allow that names it, and then a person is asked each time. */
export interface Protection {
  readonly reason: string;
  readonly hint: string;
  /** Whether the brackets of a rule name a protected path, and not just everything. */
  isNamedBy(spec: string): boolean;
}

/** A version of something that comes from elsewhere and could become something else, as a tool of a server. */
export interface Pin {
  /** What it is, whichever version: never that of something else. */
  readonly key: string;
  readonly hash: string;
  /** For people. */
  readonly name: string;
}

/** An input in plain terms: a command line taken apart into its simple commands, a path with its links followed. */
export interface Parts {
  /** Each has the shape of an input. */
  readonly parts: readonly Json[];
  /** They are all that the input does; else no rule with brackets can allow it. */
  readonly areAll: boolean;
  /** The same in other words, such as a program without its path; only rules that forbid are held against them. */
  readonly suspected?: readonly Json[];
  /** What stands between the brackets of the rule that is offered to whoever allows more than this once. */
  readonly offer?: string;
  /** It was not taken apart to its end: whatever rules forbid may be in it. */
  readonly isUnread?: true;
  /** It makes git repositories: a person is asked each time, whatever allows it, and its sandbox lets them stay. */
  readonly makesRepositories?: true;
}

/** A skill as a policy sees it. */
export interface PermissionSubject {
  readonly skill: string;
  /** Other names that reach it. */
  readonly aliases: readonly string[];
  readonly source: Source;
  /** It was made in code, by the host itself or by this package. */
  readonly made: boolean;
  /** Its bundle; empty for a skill made in code. */
  readonly dir: string;
  /** The digest of its files as they are now; undefined for a skill without files. */
  readonly digest: () => string | undefined;
  /** The rules by which it names its tools. */
  readonly tools?: readonly string[];
}

/** A call that is about to happen. */
export interface PermissionRequest extends PermissionSubject {
  readonly family: string;
  /** It can run code that comes with it. */
  readonly runsCode: boolean;
  readonly permission: Permission;
  readonly input: Json;
  /** The folder that files are read from and written to, absolute. */
  readonly workspace: string | undefined;
  /** Its processes would be kept from everything that they were not granted. */
  readonly contained: boolean;
  /** Whether a person allowed this already, for the call or for longer, so that what else is to be asked can be. */
  readonly isAllowed?: (question: { readonly rule: string; readonly version?: SkillVersion }) => boolean;
  /** The skill that calls; absent for the call that a person made. One that runs code was allowed to before it could call. */
  readonly caller?: PermissionSubject & { readonly runsCode?: () => boolean };
  /** The skills that the conversation which calls has loaded. */
  readonly active?: readonly PermissionSubject[];
}

/** The version of a skill that leave for longer than a run is bound to: one changed byte of its files ends it. */
export interface SkillVersion {
  readonly skill: string;
  readonly digest: string;
}

/** What a policy says to a call. */
export type Decision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string; readonly hint?: string }
  | {
      readonly decision: 'ask';
      readonly reason: string;
      /** What an approval for longer than this once would allow. */
      readonly rule: string;
      /** Every call is asked for, whatever was allowed before. */
      readonly each?: true;
      /** Whom an approval for longer than this run would be for; without it there is none. */
      readonly version?: SkillVersion;
      /** What an approval for longer than this once is bound to as well. */
      readonly pin?: Pin;
    };

/** Leave that a person gave for as long as the files of a skill stay as they are. */
export interface LastingLeave extends SkillVersion {
  readonly rule: string;
  /** The bundle of the skill, for people. */
  readonly dir: string;
  /** What was looked at when it was given: leave ends when that becomes something else. */
  readonly pin?: Pin;
}

/** Rules as users write them: what denies goes before what asks, and that before what allows. */
export interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** Words of tools that the host registers itself, which rules may name besides the built-in ones. */
  readonly tools?: readonly string[];
}

/** The one boundary that every call passes. */
export interface Policy {
  /** Must not throw. */
  decide(request: PermissionRequest): Decision | Promise<Decision>;
  /** Keeps leave for a version of a skill; without it nobody can allow more than a run. */
  remember?(leave: LastingLeave): void | Promise<void>;
  /** Trust in the files of one digest counts for those of another: they were made of them here. */
  inherit?(from: string, to: SkillVersion & { readonly dir: string }): void | Promise<void>;
  /** Whether somebody trusts the files of a skill as they are; without it those from elsewhere are not. Must not throw. */
  trusts?(subject: Pick<PermissionSubject, 'source' | 'digest'>): boolean;
}

/** What a person sees who is to decide. */
export interface ApprovalRequest {
  /** Every call is asked for anew: allowing it for the run means this once. */
  readonly each?: true;
  readonly skill: string;
  readonly input: Json;
  readonly reason: string;
  readonly rule: string;
  readonly caller?: string;
  /** Whom `{allow: 'version'}` is for; without it that cannot be answered. */
  readonly version?: SkillVersion;
  /** The version of something from elsewhere that leave for longer than this once is for. */
  readonly pin?: Pin;
  /** Milliseconds since 1970 after which nobody can decide any more. */
  readonly expires?: number;
}

/** What a person decided: this once, every call under the same rule in this run or of this version of a skill, or not at all. */
export type Approval =
  | { readonly allow: 'once' | 'run' | 'version' }
  /** The reason is given to whoever called. */
  | { readonly deny: string; readonly expired?: true };
