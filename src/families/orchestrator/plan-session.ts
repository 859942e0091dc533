import {
  isJsonObject,
  namedTier,
  optional,
  type Json,
  type Output,
  type Scope,
  type Skill,
} from '../../core/index.ts';
import { fitAnswer } from '../../engines/sop/session/run-script.ts';
import {
  answerOutput,
  type SessionLimits,
  type SopMemory,
  type SopSessionEnd,
} from '../../engines/sop/session/session.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { promptFor, type OrchestratorRequest } from './request.ts';
import { planInstructions, skillsOf } from './stage.ts';

/** Carries out a request by a plan that a model makes; what may be called are its commands. */
export async function runPlanSession(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<Output> {
  const { runSopSession } = await import('../../engines/sop/session/run-session.ts');
  const { input, request, heard } = asked;
  const { result = scope.skill.card.output, maxTicks, model = 'plan', effort } = scope.request.wanted;
  const isAdHoc = definition.bestFirst !== undefined;
  const previous = isAdHoc || heard === '' ? undefined : await recallPlan(scope);
  const end = await runSopSession(scope, {
    instructions: planInstructions(definition, result, previous !== undefined),
    prompt: promptFor(asked),
    ...optional('skills', commandsOf(definition, scope)),
    ...(input === null ? {} : { input }),
    ...optional('previous', previous),
    tier: namedTier(model) ?? 'plan',
    ...optional('effort', effort),
    ...optional('limits', maxTicks === undefined ? undefined : limitsFor(maxTicks)),
  });
  if (end.status === 'done' && !isAdHoc) await rememberPlan(request, end, scope);
  return fitAnswer(answerOutput(end), scope);
}

/** Those of the list; for one prompt, whatever may be called, what fits best first. */
function commandsOf(
  { allowedSkills, bestFirst }: OrchestratorDefinition,
  scope: Scope,
): readonly Skill[] | undefined {
  if (bestFirst === undefined) return skillsOf(allowedSkills, scope);
  const places = new Map(bestFirst.map((name, place) => [name, place]));
  const placeOf = ({ name }: Skill): number => places.get(name) ?? bestFirst.length;
  return scope.skills.callable.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Every plan and every repair of one is a model step. */
function limitsFor(maxTicks: number): Pick<SessionLimits, 'plans' | 'repairs'> {
  const plans = Math.max(1, Math.min(3, maxTicks));
  return { plans, repairs: Math.max(0, Math.min(5, maxTicks - plans)) };
}

const key = 'plan';
const longest = 30 * 60 * 1000; // milliseconds after which results are too old to build on
const mostKept = 50_000; // characters as JSON
const mostTurns = 3; // the last plan has all that was kept of those before it

/** The plan that the last prompt of this session came to, for the next one to extend; undefined when it is old or gone. */
async function recallPlan(scope: Scope): Promise<SopMemory | undefined> {
  const kept = await scope.memory.get(key);
  if (!isKept(kept)) return undefined;
  return (await scope.now()) - kept.at > longest ? undefined : kept.memory;
}

/** Keeps a plan with the results of its own steps; one that is too large is forgotten, as a step without its result would be done again. */
async function rememberPlan(
  request: string,
  { memory, variables }: SopSessionEnd,
  scope: Scope,
): Promise<void> {
  const { turns, state } = memory;
  const last = turns.slice(-1).map(({ plan }) => ({ prompt: request, plan }));
  const kept: Kept = {
    at: await scope.now(),
    memory: {
      turns: [...turns.slice(0, -1), ...last].slice(-mostTurns),
      state: {
        ...state,
        records: state.records.filter(({ variable }) => Object.hasOwn(variables, variable)),
      },
    },
  };
  if (JSON.stringify(kept).length > mostKept) scope.memory.delete(key);
  else scope.memory.set(key, kept as unknown as Json);
}

interface Kept {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly memory: SopMemory;
}

/** A host may have set something else. */
function isKept(value: unknown): value is Kept {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return false;
  const { memory } = value;
  if (!isJsonObject(memory) || !Array.isArray(memory['turns'])) return false;
  const { state } = memory;
  return isJsonObject(state) && Array.isArray(state['records']);
}
