import { isAgentError, namedTier, optional, type Json, type Output, type Scope } from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { failedOutput } from '../../engines/loop/tools.ts';
import { runScript } from '../../engines/sop/session/run-script.ts';
import { runAssistant } from './assistant.ts';
import { isCompactRequest } from './conversation.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { runPlanSession } from './plan-session.ts';
import { promptFor, readAsked, type OrchestratorRequest } from './request.ts';
import { runPreparation } from './run-preparation.ts';
import { listedSkills, loopSystem, stageTools } from './stage.ts';

/**
 * Handles a request by calling other skills: with the script in the skill's file, in a loop, or with a plan
 * that a model writes.
 */
export async function execute(
  definition: OrchestratorDefinition,
  input: Json,
  scope: Scope,
): Promise<Output> {
  try {
    return await work(definition, input, scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return failedOutput(thrown);
  }
}

async function work(definition: OrchestratorDefinition, input: Json, scope: Scope): Promise<Output> {
  const { script, preparation, session, allowedSkills } = definition;
  if (script !== undefined)
    return runScript(scope, { script, skills: allowedSkills && listedSkills(allowedSkills, scope), input });
  if (definition.bestFirst !== undefined && (session === 'loop' || isCompactRequest(input)))
    return runAssistant(definition, input, scope);
  const asked = await readAsked(input, scope);
  const found = preparation === undefined ? '' : await runPreparation(definition, asked, scope);
  const run = session === 'loop' ? runLoopSession : runPlanSession;
  return run(definition, { ...asked, found }, scope);
}

const usualSteps = 20;

/** Has a model handle a request by calling skills as tools in a loop. */
async function runLoopSession(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<Output> {
  const { allowedSkills } = definition;
  const { request } = asked;
  const {
    result = scope.skill.card.output,
    check,
    maxTicks,
    model = 'plan',
    effort,
  } = scope.request.overrides;
  const end = await runLoop(scope, {
    system: loopSystem(definition),
    prompt: promptFor(asked),
    tools: await stageTools(allowedSkills, request, scope),
    tier: namedTier(model) ?? 'plan',
    ...optional('effort', effort),
    maxSteps: maxTicks ?? usualSteps,
    ...optional('submit', result && { schema: result, ...optional('check', check) }),
  });
  return loopOutput(end);
}
