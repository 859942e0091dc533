import { AgentError, namedTier, optional, type Output, type Scope } from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { answerOutput } from '../../engines/sop/session/session.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { promptFor, type OrchestratorRequest } from './request.ts';
import { preparationInstructions, preparationSystem, skillsOf, stageTools } from './stage.ts';

const name = 'prep';
const maxSteps = 8; // The maximum number of model steps, the same as for a plan: 3 attempts and 5 repairs.
const longestText = 20_000; // The maximum length of the preparation's result, in characters.

/** Runs the preparation with its own skills and returns its text. Errors say that the preparation failed. */
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
    maxSteps,
    ...readModelOptions(scope),
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
    ...readModelOptions(scope),
  });
  return answerOutput(end);
}

function readModelOptions({ request: { overrides } }: Scope): {
  readonly tier: string;
  readonly effort?: string;
} {
  const { model = 'plan', effort } = overrides;
  return { tier: namedTier(model) ?? 'plan', ...optional('effort', effort) };
}

function cut(text: string): string {
  if (text.length <= longestText) return text;
  return `${text.slice(0, longestText)}\n[the rest is omitted]`.toWellFormed();
}
