import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { failedOutput } from '../../engines/loop/failed-output.ts';
import { runScript } from '../../engines/sop/session/run-script.ts';
import type { OrchestratorDefinition } from './definition.ts';
import { readAsked } from './asked.ts';
import { runLoopSession } from './loop-session.ts';
import { runPlanSession } from './plan-session.ts';
import { runPreparation } from './run-preparation.ts';
import { skillsOf } from './skills-of.ts';

/** Carries out a request with other skills: by the plan in its file, step by step, or by a plan that a model makes. */
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
    return runScript(scope, { script, skills: skillsOf(allowedSkills, scope), input });
  const asked = await readAsked(input, scope);
  const found = preparation === undefined ? '' : await runPreparation(definition, asked, scope);
  const run = session === 'loop' ? runLoopSession : runPlanSession;
  return run(definition, { ...asked, found }, scope);
}
