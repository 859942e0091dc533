import {
  isJsonObject,
  optional,
  type ErrorData,
  type Json,
  type JsonObject,
  type Output,
  type Skill,
  type Tier,
} from '../../../core/index.ts';
import type { SopLimits, SopState, SopStatus, StepValue } from '../index.ts';

// The maximum length of all variables as JSON, in characters. This is half of the limit for a stored value.
const maxCharacters = 2_000_000;

/**
 * Converts the result of a session to the output of a skill that runs plans. The value is `{plan, answer,
 * variables, status}`. The value omits data that only later prompts need.
 */
export function sopOutput(end: SopSessionEnd): Output {
  if (end.status !== 'done' && end.status !== 'planned') return failedOutput(end);
  const { plan, answer, variables, status } = end;
  return {
    status: 'done',
    text: status === 'planned' ? plan : textOf(answer, variables),
    value: accountOf(end),
  };
}

/**
 * Converts the result of a session to the output of a skill that answers by planning. The value is the
 * answer; the output contains the variables separately.
 */
export function answerOutput(end: SopSessionEnd): Output {
  if (end.status !== 'done') return failedOutput(end);
  const { answer, variables } = end;
  return {
    status: 'done',
    text: textOf(answer, variables),
    ...optional('value', answer),
    variables: limitVariables(variables),
  };
}

/**
 * Converts a failed session to an output. The details of the error contain the plan, the answer, the
 * variables and the status.
 */
function failedOutput(end: SopSessionEnd): Output {
  const why = end.error ?? {
    code: 'skill.failed' as const,
    message: `The plan ended with the status ${end.status}.`,
  };
  const details = { ...(isJsonObject(why.details) ? why.details : {}), ...accountOf(end) };
  return { status: 'failed', text: why.message, error: { ...why, details } };
}

function accountOf({ plan, answer, variables, status }: SopSessionEnd): JsonObject {
  return { plan, ...optional('answer', answer), variables: limitVariables(variables), status };
}

/** Replaces each value that is too large to store with an object that states its length as `characters`. */
function limitVariables(variables: Readonly<Record<string, StepValue>>): JsonObject {
  let room = maxCharacters;
  const limited = Object.entries(variables).map(([name, value]): readonly [string, Json] => {
    const characters = JSON.stringify(value).length;
    if (characters > room) return [name, { status: value.status, characters }];
    room -= characters;
    return [name, value as unknown as Json];
  });
  return Object.fromEntries(limited);
}

/** Returns the answer as text. If there is none, lists the successful variables, one per line. */
function textOf(answer: Json | undefined, variables: Readonly<Record<string, StepValue>>): string {
  if (answer !== undefined) return plain(answer);
  return Object.entries(variables)
    .flatMap(([name, value]) => (value.status === 'success' ? [`${name}: ${plain(value.value)}`] : []))
    .join('\n');
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** A session's task and limits. */
export interface SopRequest {
  /** The user's request, from which a model makes a plan. */
  readonly prompt?: string;
  /** A plan that runs without a planner. If absent, `prompt` is required. */
  readonly script?: string;
  /** Instructions for the planner, in addition to the description of the language. */
  readonly instructions?: string;
  /**
   * The skills that a plan can use. Defaults to the skills that the caller can call, or to all skills if
   * `isTrusted` is set.
   */
  readonly skills?: readonly Skill[];
  /** Whether a user wrote the script for this run. Such a script can use every skill. */
  readonly isTrusted?: boolean;
  /** The value of `$input`. */
  readonly input?: Json;
  /** Whether to check the plan without running it. */
  readonly planOnly?: boolean;
  /** The state of an earlier session. The new plan continues its plan and reuses successful results. */
  readonly previous?: SopMemory;
  /** The role, tier or model used for planning. Default `plan`. */
  readonly tier?: Tier;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's
   * own.
   */
  readonly effort?: string;
  /** The maximum number of commands that run at the same time. Default 8. */
  readonly concurrency?: number;
  readonly limits?: Partial<SessionLimits>;
  /** A name that distinguishes the sessions in a frame. Required for every session except the first. */
  readonly name?: string;
  /** Cancels only this session. */
  readonly signal?: AbortSignal;
}

/** Limits for a session. The limits of its frame also apply. */
export interface SessionLimits extends Omit<SopLimits, 'timeMs'> {
  /** The maximum number of plans for one prompt. Default 3. */
  readonly plans: number;
  /** The maximum total number of invalid plans that are sent back to the model. Default: 5. */
  readonly repairs: number;
}

/** The state from which a later prompt continues. Contains only JSON values. */
export interface SopMemory {
  readonly turns: readonly { readonly prompt: string; readonly plan: string }[];
  readonly state: SopState;
}

/** The result of a session that has ended, or that waits for the user. */
export interface SopSessionEnd {
  readonly status: SopStatus | 'planned';
  /** The last plan, as a script. */
  readonly plan: string;
  readonly answer?: Json;
  readonly variables: Readonly<Record<string, StepValue>>;
  /** The error. Absent if the status is `done` or `planned`. */
  readonly error?: ErrorData;
  /** The number of plans so far. */
  readonly plans: number;
  readonly memory: SopMemory;
}
