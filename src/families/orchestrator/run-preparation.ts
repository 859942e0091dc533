import { AgentError, namedTier, optional, type Output, type Scope } from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { answerOutput } from '../../engines/sop/session/session.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { promptFor, type OrchestratorRequest } from './request.ts';
import { preparationInstructions, preparationSystem, skillsOf, stageTools } from './stage.ts';

const name = 'prep';
const mostSteps = 8; // a plan has 3 tries and 5 repairs, which are as many
const longestFinding = 20_000; // characters

/** Finds out what the preparation asks for, by its own skills; throws what went wrong, and says that it was the preparation. */
export async function runPreparation(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<string> {
  const run = definition.session === 'loop' ? prepareInLoop : prepareByPlan;
  const output = await run(definition, asked, scope);
  if (output.status === 'done') return cut(output.text);
  const { code, message, hint, details } = output.error;
  throw new AgentError(code, `The preparation of "${scope.skill.name}" failed: ${message}`, {
    ...optional('hint', hint),
    ...optional('details', details),
  });
}

async function prepareInLoop(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<Output> {
  const { allowedSkills, allowedPrepSkills = allowedSkills } = definition;
  const end = await runLoop(scope, {
    name,
    system: preparationSystem(definition),
    prompt: promptFor(asked),
    tools: await stageTools(allowedPrepSkills, asked.request, scope),
    maxSteps: mostSteps,
    ...asWanted(scope),
  });
  return loopOutput(end);
}

async function prepareByPlan(
  definition: OrchestratorDefinition,
  asked: OrchestratorRequest,
  scope: Scope,
): Promise<Output> {
  const { runSopSession } = await import('../../engines/sop/session/run-session.ts');
  const { allowedSkills, allowedPrepSkills = allowedSkills } = definition;
  const end = await runSopSession(scope, {
    name,
    instructions: preparationInstructions(definition),
    prompt: promptFor(asked),
    ...optional('skills', skillsOf(allowedPrepSkills, scope)),
    ...(asked.input === null ? {} : { input: asked.input }),
    ...asWanted(scope),
  });
  return answerOutput(end);
}

function asWanted({ request: { wanted } }: Scope): { readonly tier: string; readonly effort?: string } {
  const { model = 'plan', effort } = wanted;
  return { tier: namedTier(model) ?? 'plan', ...optional('effort', effort) };
}

function cut(text: string): string {
  if (text.length <= longestFinding) return text;
  return `${text.slice(0, longestFinding)}\n[the rest is left out]`.toWellFormed();
}
