import { machineFor } from '../../config/models/find-models.ts';
import { reportModels } from '../../config/models/report.ts';
import {
  AgentError,
  adHocName,
  readPrompt,
  type OpenQuestion,
  type RunEvent,
  type RunSummary,
} from '../../core/index.ts';
import { foldRun, framesOf } from '../../views/index.ts';
import { modelSources, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';

/** A question that a prompt answers, and its run as it was before. */
interface Answered {
  readonly run: RunSummary;
  readonly question: OpenQuestion;
}

/** The question that a prompt answers in its session, if one waits there; throws where its run could not be gone on with here. */
export async function findAnswered(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  session: string | undefined,
  prompt = '',
): Promise<Answered | undefined> {
  if (readPrompt(prompt).name !== undefined) return undefined; // it goes past the question
  const waiting = await agent.runs.waitingIn(session, prompt);
  if (waiting === undefined) return undefined;
  const run = await agent.runs.find(waiting.runId);
  mustKnowSkill(agent, invocation, run);
  const missing = await missingModel(invocation, await agent.runs.events(run.id), false);
  if (missing !== undefined) throw missing;
  return { run, question: waiting.question };
}

/** Whether the command line could work on a run: it knows the first skill, or that is made for each prompt anew. */
export function knowsSkill(agent: RecursiveSkilledAgent, { skill }: RunSummary): boolean {
  return skill === '' || skill === adHocName || agent.skills.has(skill);
}

/** A run of a skill that only another program knows is not touched; one that is worked on elsewhere can be followed. */
export function mustKnowSkill(
  agent: RecursiveSkilledAgent,
  { own }: Invocation,
  run: RunSummary,
  isSaid = false,
): void {
  const isFollowed = run.status === 'running' && own['take-over'] !== true;
  if (!isFollowed && !knowsSkill(agent, run)) throw unknownSkill(run, 'resume', isSaid);
}

/** The error for a run of a skill that only another program knows; what was said to the run is kept for that. */
export function unknownSkill(
  { id, skill }: RunSummary,
  verb: 'resume' | 'rerun',
  isKept = false,
): AgentError {
  const next = `go on in that program with agent.runs.${verb}("${id}")`;
  return new AgentError('skill.not-found', `"${skill}" is not a skill that the command line knows here.`, {
    hint: isKept
      ? `Your answer is kept; the skill may be made in code: ${next}.`
      : `It may be made in code: ${next}.`,
  });
}

/** Why a run is not to be taken up here: a call is open in it that asks models, and without one it would fail and be over. What was said to it is kept. */
export async function missingModel(
  invocation: Invocation,
  events: readonly RunEvent[],
  isSaid: boolean,
): Promise<AgentError | undefined> {
  const tree = foldRun(events);
  const asks = [...framesOf(tree)].find(({ modelSteps, endedAt }) => modelSteps > 0 && endedAt === undefined);
  if (asks === undefined || (await hasModel(invocation))) return undefined;
  const kept = isSaid ? 'Your answer is kept. ' : '';
  const again = invocation.flags.offline === true ? ' --no-offline' : '';
  return new AgentError(
    'model.unavailable',
    `"${asks.skill}" goes on with a model, and there is none here.`,
    {
      hint: `${kept}\`skilled models\` shows what to set. Then run \`skilled resume ${tree.runId}${again}\`.`,
      details: { configured: false },
    },
  );
}

/** Whether a model is there that could be asked, as far as that is known without asking it. */
async function hasModel(invocation: Invocation): Promise<boolean> {
  const { cwd, safe } = invocation.flags;
  const { offline, uses, faults } = await reportModels(
    modelSources(invocation),
    machineFor(safe ? undefined : cwd),
  );
  return !offline && new Set(uses.flatMap(({ models }) => models)).size > faults.length;
}
