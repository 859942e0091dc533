import type { RecursiveSkilledAgent } from '../agent/recursive-skilled-agent.ts';
import type { Json } from '../core/json.ts';
import type { RunHandle } from '../core/event.ts';
import type { OpenQuestion, RunResult } from '../core/run.ts';
import { pendingOf } from '../views/run-tree.ts';
import type { TrialGround } from './trial-ground.ts';
import type { Trial } from './trial.ts';

/** Stands in for the person whom a run asks. */
export interface Answerer {
  /** Sees a run to its end, or to a question that has no answer here. */
  seeThrough(handle: RunHandle, signal: AbortSignal): Promise<RunResult>;
  /** How many answers nobody asked for. */
  readonly left: number;
}

/** Gives the answers of a case in their order, and the decisions of whoever started the cases. */
export function createAnswerer(
  agent: RecursiveSkilledAgent,
  { answers }: Pick<Trial, 'answers'>,
  decides: TrialGround['decides'],
): Answerer {
  let given = 0;
  const answerTo = ({ kind }: OpenQuestion): Json | undefined => {
    if (kind === 'input') return given < answers.length ? answers[given++] : undefined;
    if (decides === undefined) return undefined;
    return decides === 'allow' ? { allow: 'once' } : { deny: 'Nobody is asked.' };
  };
  return {
    async seeThrough(handle, signal) {
      let result = await handle.result;
      while (result.status === 'waiting') {
        const { runId } = result;
        let isAnswered = false;
        for (const question of pendingOf(await agent.runs.events(runId))) {
          const answer = answerTo(question);
          if (answer === undefined) continue;
          await agent.runs.answer(runId, answer, question.id);
          isAnswered = true;
        }
        if (!isAnswered) break;
        result = await agent.runs.resume(runId, { signal }).result;
      }
      return result;
    },
    get left() {
      return answers.length - given;
    },
  };
}
