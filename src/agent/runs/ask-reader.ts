import {
  abortReason,
  deadline,
  optional,
  settlesBefore,
  toErrorData,
  type Json,
  type MemoryMap,
  type OpenQuestion,
  type PromptIo,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import type { Runs } from '../../run/runs.ts';
import { pendingOf } from '../../views/index.ts';
import { answerIn } from './pending.ts';
import type { RunObserver, RunServices } from './run-handle.ts';

/**
 * Lets the input reader answer a run's questions within the same turn, so that a queued prompt is not
 * mistaken for an answer. If the turn is aborted in the meantime, the run is cancelled. If an answer arrives
 * too late, the run continues without it.
 */
export async function askReader(
  { runs, store }: Pick<RunServices, 'runs' | 'store'>,
  { id: runId, listener, signal }: RunObserver,
  stopped: Stop,
  { io: { inputReader } = {}, memory }: { readonly io?: PromptIo; readonly memory?: MemoryMap },
): Promise<Stop> {
  let stop = stopped;
  while (inputReader !== undefined && stop.why === 'waiting') {
    const question = pendingOf(await readLog(store, runId)).find(({ kind }) => kind === 'input');
    if (question === undefined) return stop;
    const { expires } = question;
    using limit = expires === undefined ? undefined : deadline(expires - runs.now(), undefined, signal);
    const over = limit?.signal ?? signal;
    // An untyped input reader can return an answer instead of a promise.
    const answering = Promise.resolve(inputReader(question, over));
    // The input reader can also resolve because the signal was aborted.
    const isInTime = (await settlesBefore(over, answering)) && !over.aborted;
    if (signal.aborted) {
      await runs.cancel(runId, abortReason(signal));
      return { why: 'ended' };
    }
    const answer = isInTime ? await answering : undefined;
    if (answer === undefined && !over.aborted) return stop;
    if (answer !== undefined) await give(runs, runId, question, answer);
    stop = await runs.resume(runId, { listener, signal, ...optional('memory', memory) });
  }
  return stop;
}

async function give(runs: Runs, runId: string, question: OpenQuestion, answer: Json): Promise<void> {
  try {
    await runs.answer(runId, asMeant(question, answer), question.id);
  } catch (thrown) {
    // If the question has expired, the run continues without the answer.
    if (toErrorData(thrown).code !== 'policy.expired') throw thrown;
  }
}

/**
 * Parses a text answer in the same way as a prompt. For example, the text can be the number of an option, or
 * a number if the schema expects one.
 */
function asMeant(question: OpenQuestion, answer: Json): Json {
  return typeof answer === 'string' ? answerIn(question, answer) : answer;
}
