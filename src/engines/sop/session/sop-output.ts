import { isJsonObject, type Json } from '../../../core/json.ts';
import type { Output } from '../../../core/output.ts';
import type { SopSessionEnd } from './sop-session.ts';
import type { StepValue } from '../step-value.ts';

const mostKept = 2_000_000; // characters of all variables as JSON, half of what a run keeps of one value

/**
 * What a session came to as the output of its skill: the value is `{plan, answer, variables, status}`, without what only
 * a later prompt needs. A variable for which there is no room has the number of its `characters` in place of its value.
 */
export function sopOutput({ plan, answer, variables, status, error }: SopSessionEnd): Output {
  const value = {
    plan,
    ...(answer === undefined ? {} : { answer }),
    variables: keptVariables(variables),
    status,
  };
  if (status === 'planned') return { status: 'done', text: plan, value };
  if (status === 'done') return { status: 'done', text: textOf(answer, variables), value };
  const why = error ?? { code: 'skill.failed' as const, message: `The plan ended: ${status}.` };
  return {
    status: 'failed',
    text: why.message,
    error: { ...why, details: { ...(isJsonObject(why.details) ? why.details : {}), ...value } },
  };
}

/** A value that is too large to be kept must not cost the answer. */
function keptVariables(variables: Readonly<Record<string, StepValue>>): Json {
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
