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

const mostKept = 2_000_000; // characters of all variables as JSON, half of what a run keeps of one value

/**
 * What a session came to as the output of a skill that runs plans: the value is `{plan, answer, variables, status}`,
 * without what only a later prompt needs.
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

/** What a session came to as the output of a skill that works by plans: the value is the answer, and the variables stand beside it. */
export function answerOutput(end: SopSessionEnd): Output {
  if (end.status !== 'done') return failedOutput(end);
  const { answer, variables } = end;
  return {
    status: 'done',
    text: textOf(answer, variables),
    ...optional('value', answer),
    variables: keptVariables(variables),
  };
}

/** All that can be told of a session stands in the details of its failure. */
function failedOutput(end: SopSessionEnd): Output {
  const why = end.error ?? { code: 'skill.failed' as const, message: `The plan ended: ${end.status}.` };
  const details = { ...(isJsonObject(why.details) ? why.details : {}), ...accountOf(end) };
  return { status: 'failed', text: why.message, error: { ...why, details } };
}

function accountOf({ plan, answer, variables, status }: SopSessionEnd): JsonObject {
  return { plan, ...optional('answer', answer), variables: keptVariables(variables), status };
}

/** A value that is too large to be kept must not cost the answer: it has the number of its `characters` in its place. */
function keptVariables(variables: Readonly<Record<string, StepValue>>): JsonObject {
  let room = mostKept;
  const kept = Object.entries(variables).map(([name, value]): readonly [string, Json] => {
    const characters = JSON.stringify(value).length;
    if (characters > room) return [name, { status: value.status, characters }];
    room -= characters;
    return [name, value as unknown as Json];
  });
  return Object.fromEntries(kept);
}

/** The answer, or without one every variable on a line of its own. */
function textOf(answer: Json | undefined, variables: Readonly<Record<string, StepValue>>): string {
  if (answer !== undefined) return plain(answer);
  return Object.entries(variables)
    .flatMap(([name, value]) => (value.status === 'success' ? [`${name}: ${plain(value.value)}`] : []))
    .join('\n');
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

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
