import type { ZodType } from 'zod';
import type { DefinedSkill } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { optional } from '../core/optional.ts';
import type { RunHandle } from '../core/run-handle.ts';
import type { RunRequest } from '../core/run.ts';
import type { Skill } from '../core/skill.ts';
import { reachedAs } from '../run/known-as.ts';
import type { LoadedSkill } from '../skills/load-skill.ts';
import type { Registry } from '../skills/registry.ts';
import type { Skills } from '../skills/skills.ts';
import type { Lender } from './lender.ts';
import { mustBeDone } from './session-outcome.ts';
import { noResult, wantedResult } from './session-result.ts';

/** What a session stands on. */
export interface SessionHost {
  readonly lender: Lender;
  /** Begins a run, on other skills than those of the agent where they are given. */
  readonly begin: (request: RunRequest, registry?: () => Registry) => RunHandle;
}

/** How a skill is called, whatever the types say. */
export interface UntypedOptions {
  readonly args?: unknown;
  readonly result?: ZodType | JsonObject;
  readonly maxTicks?: number;
  readonly signal?: AbortSignal;
}

/** Runs a skill to its end and gives what it came to; throws everything else. */
export async function callSkill(
  { lender, begin }: SessionHost,
  session: string,
  called: string | DefinedSkill | LoadedSkill,
  { args, result, maxTicks, signal }: UntypedOptions,
): Promise<unknown> {
  const { skill, name, registry } = find(lender.skills, called);
  const schema = result ?? declaredBy(called);
  const wanted = schema === undefined ? undefined : wantedResult(skill.name, schema);
  const request: RunRequest = {
    skill: name,
    session,
    ...optional('input', args as Json | undefined),
    wanted: {
      ...optional('result', wanted?.schema),
      ...optional('check', wanted?.check),
      ...ticks(maxTicks),
    },
    ...(maxTicks === undefined
      ? {}
      : { limits: { steps: Math.max(maxTicks, lender.setUp.runLimits.steps) } }),
    ...optional('signal', signal),
  };
  const { text, value } = mustBeDone(await begin(request, registry).result);
  if (wanted !== undefined) return wanted.read(value);
  if (skill.card.output === undefined) return text;
  if (value === undefined) throw noResult(skill.name, 'It declares an output and gave no value.');
  return value;
}

interface Found {
  readonly skill: Skill;
  /** The name that leads to it. */
  readonly name: string;
  readonly registry?: () => Registry;
}

/** A name must be known now, so that a wrong one begins nothing; the skill itself need not be registered. */
function find(skills: Skills, called: string | DefinedSkill | LoadedSkill): Found {
  if (typeof called === 'string') return { skill: skills.resolve(called), name: called };
  const { registry, skill } = skills.snapshotWith(called);
  return { skill, name: reachedAs(registry, skill), registry: () => registry };
}

/** The output that instructions in code promise is judged by its own schema; a function makes its value itself. */
function declaredBy(called: string | DefinedSkill | LoadedSkill): ZodType | undefined {
  if (typeof called === 'string' || called.kind === 'loaded' || called.run !== undefined) return undefined;
  return typeof called.output === 'function' ? called.output() : called.output;
}

function ticks(maxTicks: number | undefined): { readonly maxTicks?: number } {
  if (maxTicks === undefined || (Number.isSafeInteger(maxTicks) && maxTicks > 0)) {
    return optional('maxTicks', maxTicks);
  }
  throw new AgentError('usage.bad-input', 'maxTicks is not a whole number above zero.', {
    hint: 'Say how many model steps it may take.',
  });
}
