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

/** Handles a request with a plan that a model writes. The callable skills are the plan's commands. */
export async function runPlanSession(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<Output> {
  const { runSopSession } = await import('../../engines/sop/session/run-session.ts');
  const { input, request, history } = asked;
  const { result = scope.skill.card.output, maxTicks, model = 'plan', effort } = scope.request.overrides;
  const isAssistant = definition.bestFirst !== undefined;
  const previous = isAssistant || history === '' ? undefined : await recallPlan(scope);
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
  if (end.status === 'done' && !isAssistant) await rememberPlan(request, end, scope);
  return fitAnswer(answerOutput(end), scope);
}

/**
 * Returns the skills for the plan: those that the file allows or, for the assistant, all callable skills,
 * best match first.
 */
function commandsOf(
  { allowedSkills, bestFirst }: OrchestratorDefinition,
  scope: Scope,
): readonly Skill[] | undefined {
  if (bestFirst === undefined) return skillsOf(allowedSkills, scope);
  const positions = new Map(bestFirst.map((name, position) => [name, position]));
  const positionOf = ({ name }: Skill): number => positions.get(name) ?? bestFirst.length;
  return scope.skills.callable.toSorted((one, other) => positionOf(one) - positionOf(other));
}

/** Returns the limits for plans and repairs. Each plan and each repair counts as a model step. */
function limitsFor(maxTicks: number): Pick<SessionLimits, 'plans' | 'repairs'> {
  const plans = Math.max(1, Math.min(3, maxTicks));
  return { plans, repairs: Math.max(0, Math.min(5, maxTicks - plans)) };
}

const key = 'plan';
const longest = 30 * 60 * 1000; // The maximum age of a stored plan, in milliseconds.
// A stored plan has at most this many characters of JSON and this many turns. A few turns are enough, because
// the last plan contains the earlier results.
const maxCharacters = 50_000;
const maxTurns = 3;

/**
 * Returns the plan for the session's last prompt, so that the next plan can extend it. Returns undefined if
 * there is no plan or it is too old.
 */
async function recallPlan(scope: Scope): Promise<SopMemory | undefined> {
  const stored = await scope.memory.get(key);
  if (!isStoredPlan(stored)) return undefined;
  return (await scope.now()) - stored.at > longest ? undefined : stored.memory;
}

/**
 * Stores a plan with the results of its own steps. If together they exceed the size limit, deletes the stored
 * plan instead, because without the results the steps would run again.
 */
async function rememberPlan(
  request: string,
  { memory, variables }: SopSessionEnd,
  scope: Scope,
): Promise<void> {
  const { turns, state } = memory;
  const last = turns.slice(-1).map(({ plan }) => ({ prompt: request, plan }));
  const stored: StoredPlan = {
    at: await scope.now(),
    memory: {
      turns: [...turns.slice(0, -1), ...last].slice(-maxTurns),
      state: {
        ...state,
        records: state.records.filter(({ variable }) => Object.hasOwn(variables, variable)),
      },
    },
  };
  if (JSON.stringify(stored).length > maxCharacters) scope.memory.delete(key);
  else scope.memory.set(key, stored as unknown as Json);
}

interface StoredPlan {
  /** The time when the plan was stored, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly memory: SopMemory;
}

/** Whether a stored value is a plan. The host could have stored other values under the same key. */
function isStoredPlan(value: unknown): value is StoredPlan {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return false;
  const { memory } = value;
  if (!isJsonObject(memory) || !Array.isArray(memory['turns'])) return false;
  const { state } = memory;
  return isJsonObject(state) && Array.isArray(state['records']);
}
