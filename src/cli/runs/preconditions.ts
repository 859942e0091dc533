import type { WaitingQuestion } from '../../agent/runs/pending.ts';
import { machineFor } from '../../config/models/find-models.ts';
import { reportModels } from '../../config/models/report.ts';
import {
  AgentError,
  isAssistant,
  readPrompt,
  type OpenQuestion,
  type RunEvent,
  type RunSummary,
  type ShownQuestion,
} from '../../core/index.ts';
import { foldRun, framesOf } from '../../views/index.ts';
import { modelSources, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';

/** A question that a prompt answers, and the state of its run before the answer. */
interface Answered {
  readonly run: RunSummary;
  readonly question: OpenQuestion;
}

/**
 * Finds the waiting question in the session that a prompt answers. If a question was shown, only that one can
 * be answered. Throws if the question's run cannot continue here.
 */
export async function findAnswered(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  session: string | undefined,
  prompt = '',
  shown?: ShownQuestion,
): Promise<Answered | undefined> {
  // A prompt that names a skill starts a new request instead of answering a question.
  if (readPrompt(prompt).name !== undefined) return undefined;
  const waiting = await agent.runs.waitingIn(session, prompt, shown);
  if (waiting === undefined || (shown !== undefined && !isSameQuestion(waiting, shown))) return undefined;
  const run = await agent.runs.find(waiting.runId);
  mustKnowSkill(agent, invocation, run);
  const missing = await missingModel(invocation, await agent.runs.events(run.id), false);
  if (missing !== undefined) throw missing;
  return { run, question: waiting.question };
}

/** Whether a waiting question is the one that was shown. */
export function isSameQuestion(waiting: WaitingQuestion | undefined, { runId, id }: ShownQuestion): boolean {
  return waiting?.runId === runId && waiting.question.id === id;
}

/**
 * Whether the CLI can continue a run: the run's first skill must be registered, or be the assistant, which is
 * built for each prompt.
 */
export function knowsSkill(agent: RecursiveSkilledAgent, { skill }: RunSummary): boolean {
  return skill === '' || isAssistant(skill) || agent.skills.has(skill);
}

/**
 * Throws if only another program can load the run's skill. A run that another process is working on can still
 * be followed.
 */
export function mustKnowSkill(
  agent: RecursiveSkilledAgent,
  { own }: Invocation,
  run: RunSummary,
  isSaid = false,
): void {
  const isFollowed = run.status === 'running' && own['take-over'] !== true;
  if (!isFollowed && !knowsSkill(agent, run)) throw unknownSkill(run, 'resume', isSaid);
}

/**
 * Returns the error for a run whose skill only another program can load. Answers to the run are kept for that
 * program.
 */
export function unknownSkill(
  { id, skill }: RunSummary,
  verb: 'resume' | 'rerun',
  isAnswerStored = false,
): AgentError {
  const next = `continue in that program with agent.runs.${verb}("${id}")`;
  return new AgentError('skill.not-found', `The command line cannot find the skill "${skill}" here.`, {
    hint: isAnswerStored
      ? `Your answer is kept; the skill may be defined in code: ${next}.`
      : `The skill may be defined in code. If so, ${next}.`,
  });
}

/**
 * Returns the error for a run that cannot be resumed here because an open call needs a model and none is
 * available. Returns undefined if the run can be resumed. Answers to the run are kept.
 */
export async function missingModel(
  invocation: Invocation,
  events: readonly RunEvent[],
  isSaid: boolean,
): Promise<AgentError | undefined> {
  const tree = foldRun(events);
  const asks = [...framesOf(tree)].find(({ modelSteps, endedAt }) => modelSteps > 0 && endedAt === undefined);
  if (asks === undefined || (await hasModel(invocation))) return undefined;
  const prefix = isSaid ? 'Your answer was saved. ' : '';
  const again = invocation.flags.offline === true ? ' --no-offline' : '';
  return new AgentError(
    'model.unavailable',
    `"${asks.skill}" needs a model to continue, and none is available.`,
    {
      hint: `${prefix}\`skilled models\` shows what to set. Then run \`skilled resume ${tree.runId}${again}\`.`,
      details: { configured: false },
    },
  );
}

/** Whether a model is available, as far as this can be determined without calling it. */
async function hasModel(invocation: Invocation): Promise<boolean> {
  const { cwd, safe } = invocation.flags;
  const { offline, uses, faults } = await reportModels(
    modelSources(invocation),
    machineFor(safe ? undefined : cwd),
  );
  return !offline && new Set(uses.flatMap(({ models }) => models)).size > faults.length;
}
