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
  /** Whether what stands between the brackets of a rule, as `src/**` in `Read(src/**)`, means this input; pure. */
  readonly matches?: (spec: string, input: Json, workspace: string) => boolean;
}

/** A call that is about to happen. */
export interface PermissionRequest {
  readonly skill: string;
  readonly family: string;
  readonly source: Source;
  /** It was made in code, by the host itself or by this package. */
  readonly made: boolean;
  /** Its family runs code that comes with the skill. */
  readonly runsCode: boolean;
  readonly permission: Permission;
  readonly input: Json;
  /** The skill that calls; absent for the call that a person made. */
  readonly caller?: string;
}

/** What a policy says to a call. */
export type Decision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string }
  /** `rule` is what an approval for longer than this once would allow; with `each` every call is asked for all the same. */
  | { readonly decision: 'ask'; readonly reason: string; readonly rule: string; readonly each?: true };

/** The one boundary that every call passes; must not throw. */
export interface Policy {
  decide(request: PermissionRequest): Decision | Promise<Decision>;
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
}

/** What a person decided: this once, every call under the same rule in this run, or not at all. */
export type Approval =
  | { readonly allow: 'once' | 'run' }
  /** The reason is given to whoever called. */
  | { readonly deny: string };
