import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { readPrompt, type OpenQuestion } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import type { Invocation } from '../command.ts';
import { missingModel } from './missing-model.ts';
import { mustKnowSkill } from './must-know-skill.ts';

/** A question that a prompt answers, and its run as it was before. */
export interface Answered {
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
