import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { Output } from '../../../core/run.ts';
import { optional } from '../../../core/collections.ts';
import type { SopSessionEnd } from './sop-session.ts';
import type { StepValue } from '../step-value.ts';

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
