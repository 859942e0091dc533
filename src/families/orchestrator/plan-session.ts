import { namedTier } from '../../core/model/sources.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';
import { fitAnswer } from '../../engines/sop/session/fit-answer.ts';
import type { SessionLimits } from '../../engines/sop/session/sop-session.ts';
import { promptFor, type Asked } from './asked.ts';
import type { OrchestratorDefinition } from './definition.ts';
import { recallPlan, rememberPlan } from './plan-memory.ts';
import { planInstructions } from './session-texts.ts';
import { skillsOf } from './skills-of.ts';

/** Carries out a request by a plan that a model makes; what may be called are its commands. */
export async function runPlanSession(
  definition: OrchestratorDefinition,
  asked: Asked,
  scope: Scope,
): Promise<Output> {
  const [{ runSopSession }, { answerOutput }] = await Promise.all([
    import('../../engines/sop.ts'),
    import('../../engines/sop/session/sop-output.ts'),
  ]);
  const { input, request, heard } = asked;
  const { result = scope.skill.card.output, maxTicks, model = 'plan', effort } = scope.wanted;
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
  return scope.callable.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Every plan and every repair of one is a model step. */
function limitsFor(maxTicks: number): Pick<SessionLimits, 'plans' | 'repairs'> {
  const plans = Math.max(1, Math.min(3, maxTicks));
  return { plans, repairs: Math.max(0, Math.min(5, maxTicks - plans)) };
}
