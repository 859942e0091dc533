import type { ErrorData } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Tier } from '../../../core/model.ts';
import type { Skill } from '../../../core/skill.ts';
import type { SopStatus } from '../sop-event.ts';
import type { SopLimits } from '../sop-options.ts';
import type { SopState, StepValue } from '../step-value.ts';

/** What a session is to do, and how far it may go. */
export interface SopRequest {
  /** What is asked for; a model makes a plan of it. */
  readonly prompt?: string;
  /** A plan that needs no planner; without one there has to be a prompt. */
  readonly script?: string;
  /** What the planner is told besides the language. */
  readonly instructions?: string;
  /** The skills that a plan may name. Default: those that the caller may call; for a script that `isTrusted`, every one. */
  readonly skills?: readonly Skill[];
  /** A person wrote the script for this very run, so it may name every skill there is. */
  readonly isTrusted?: boolean;
  /** The value of `$input`. */
  readonly input?: Json;
  /** Ends with the checked plan, before anything runs. */
  readonly planOnly?: boolean;
  /** Where an earlier session ended: its plan is extended, and what succeeded is kept. */
  readonly previous?: SopMemory;
  /** The role, tier or model that plans. Default `plan`. */
  readonly tier?: Tier;
  readonly effort?: string;
  /** Commands that run at the same time, at most. Default 8. */
  readonly concurrency?: number;
  readonly limits?: Partial<SessionLimits>;
  /** Tells the sessions of one frame apart; needed from the second one on. */
  readonly name?: string;
  /** Calls off this session alone. */
  readonly signal?: AbortSignal;
}

/** How far a session may go; the limits of its frame count all the same. */
export interface SessionLimits extends Omit<SopLimits, 'timeMs'> {
  /** Plans for one prompt. Default 3. */
  readonly plans: number;
  /** Plans that cannot run and go back to the model, in all. Default 5. */
  readonly repairs: number;
}

/** What a later prompt goes on from; plain JSON. */
export interface SopMemory {
  readonly turns: readonly { readonly prompt: string; readonly plan: string }[];
  readonly state: SopState;
}

/** What a session came to; one that waits for a person has not come to an end. */
export interface SopSessionEnd {
  readonly status: SopStatus | 'planned';
  /** The last plan, as a script. */
  readonly plan: string;
  readonly answer?: Json;
  readonly variables: Readonly<Record<string, StepValue>>;
  /** Present unless it is done or planned. */
  readonly error?: ErrorData;
  /** How many plans were made. */
  readonly plans: number;
  readonly memory: SopMemory;
}
