import type { ZodType } from 'zod';
import type { DefinedSkill } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { RunHandle } from '../core/event.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { RunRequest } from '../core/run.ts';
import type { Skill } from '../core/skill.ts';
import { reachedAs } from '../run/permissions/tool-lists.ts';
import type { LoadedSkill } from '../skills/load-skill.ts';
import type { Registry } from '../skills/registry.ts';
import type { Skills } from '../skills/skills.ts';
import type { Lender } from './lender.ts';
import { mustBeDone } from './session-outcome.ts';
import { mustHaveValue, wantedResult, type WantedResult } from './session-result.ts';

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
  const wanted = schema === undefined ? undefined : wantedResult(schema);
  const request: RunRequest = {
    skill: name,
    session,
    ...optional('input', args as Json | undefined),
    ...wishes(wanted, maxTicks, lender.setUp.runLimits),
    ...optional('signal', signal),
  };
  const run = mustBeDone(await begin(request, registry).result);
  if (wanted !== undefined) return wanted.read(run);
  return skill.card.output === undefined ? run.text : mustHaveValue(run);
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
  return { skill, name: reachedAs(registry, skill), registry: () => skills.snapshotWith(called).registry };
}

/** The output that instructions in code promise is judged by its own schema; a function makes its value itself. */
function declaredBy(called: string | DefinedSkill | LoadedSkill): ZodType | undefined {
  if (typeof called === 'string' || called.kind === 'loaded' || called.run !== undefined) return undefined;
  return typeof called.output === 'function' ? called.output() : called.output;
}

/** Whoever asks for more steps in code than a frame usually has gets them. */
function wishes(
  result: WantedResult | undefined,
  maxTicks: number | undefined,
  { steps }: RunLimits,
): Pick<RunRequest, 'wanted' | 'limits'> {
  const value = result === undefined ? {} : { result: result.schema, ...optional('check', result.check) };
  if (maxTicks === undefined) return { wanted: value };
  if (Number.isSafeInteger(maxTicks) && maxTicks > 0) {
    return { wanted: { ...value, maxTicks }, limits: { steps: Math.max(maxTicks, steps) } };
  }
  throw new AgentError('usage.bad-input', 'maxTicks is not a whole number above zero.', {
    hint: 'Say how many model steps it may take.',
  });
}
