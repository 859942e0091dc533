import { namedTier } from '../../core/model/sources.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { runLoop } from '../../engines/loop.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { promptFor, type Asked } from './asked.ts';
import type { OrchestratorDefinition } from './definition.ts';
import { loopSystem } from './session-texts.ts';
import { stageTools } from './stage-tools.ts';

const usualSteps = 20;
const adHocSteps = 8;

/** Carries out a request step by step; what may be called are tools. */
export async function runLoopSession(
  definition: OrchestratorDefinition,
  asked: Asked,
  scope: Scope,
): Promise<Output> {
  const { allowedSkills, bestFirst } = definition;
  const { request } = asked;
  const { result = scope.skill.card.output, check, maxTicks, model = 'plan', effort } = scope.wanted;
  const end = await runLoop(scope, {
    system: loopSystem(definition),
    prompt: promptFor(asked),
    tools:
      bestFirst === undefined
        ? await stageTools(allowedSkills, request, scope)
        : await offerTools(scope, { request, bestFirst }),
    tier: namedTier(model) ?? 'plan',
    ...optional('effort', effort),
    maxSteps: maxTicks ?? (bestFirst === undefined ? usualSteps : adHocSteps),
    ...optional('submit', result && { schema: result, ...optional('check', check) }),
  });
  return loopOutput(end);
}
