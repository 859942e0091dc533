import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { isDropping, readPrompt, type OpenQuestion } from '../../core/run.ts';

/** What became of words that were typed where a question waits. */
export type Diverted = 'answer' | 'request' | 'dropped';

/** A question that somebody is being asked. */
export interface AskedHere {
  readonly agent: RecursiveSkilledAgent;
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Carries out what is typed in the place of an answer; without it every line is one. */
  readonly instead: ((words: string) => Promise<void>) | undefined;
}

/**
 * Carries out words that are no answer: those that name a skill which there is, those that its family calls a request, and
 * `/cancel`. Any other path or name may be the answer.
 */
export async function divertWords(
  { agent, runId, question, instead }: AskedHere,
  words: string,
): Promise<Diverted> {
  if (instead === undefined) return 'answer';
  if (isDropping(words)) {
    await agent.runs.cancel(runId, 'The question was dropped.');
    return 'dropped';
  }
  const { name } = readPrompt(words);
  const isNamed = name !== undefined && agent.skills.has(name);
  if (!isNamed && (await agent.runs.isAnswer(runId, question, words))) return 'answer';
  await instead(words);
  return 'request';
}
