import { reasonOf, toErrorData } from '../core/error.ts';
import type { OpenQuestion } from '../core/run.ts';
import type { Json } from '../core/json.ts';
import { readLog } from '../run/log/read-log.ts';
import type { Attendance, Runs } from '../run/runs.ts';
import type { Stop } from '../run/lifecycle/stop.ts';
import { onAbort, timer } from '../core/async.ts';
import { pendingOf } from '../views/pending.ts';
import type { RunWorks } from './attend.ts';
import { answerIn } from './find-waiting.ts';
import type { PromptIo } from './prompt-options.ts';

/**
 * Has a program answer what a run asks for, for as long as it does. It is part of the turn: a prompt that stands in line
 * does not answer in its place. Whoever calls off the turn meanwhile ends the run; when it is too late to answer, the run
 * goes on without.
 */
export async function askReader(
  { runs, store }: RunWorks,
  runId: string,
  stopped: Stop,
  { inputReader, ...attendance }: Attendance & Pick<PromptIo, 'inputReader'>,
): Promise<Stop> {
  let stop = stopped;
  const { signal = new AbortController().signal } = attendance;
  while (inputReader !== undefined && stop.why === 'waiting') {
    const question = pendingOf(await readLog(store, runId)).find(({ kind }) => kind === 'input');
    if (question === undefined) return stop;
    const late = new AbortController();
    const { expires } = question;
    using _deadline = expires === undefined ? undefined : timer(expires - runs.now(), () => late.abort());
    const over = AbortSignal.any([signal, late.signal]);
    const answer = await unlessAborted(inputReader(question, over), over);
    if (signal.aborted) {
      await runs.cancel(runId, reasonOf(signal.reason));
      return { why: 'ended' };
    }
    if (answer === undefined && !late.signal.aborted) return stop;
    if (answer !== undefined) await give(runs, runId, question, answer);
    stop = await runs.resume(runId, attendance);
  }
  return stop;
}

async function give(runs: Runs, runId: string, question: OpenQuestion, answer: Json): Promise<void> {
  try {
    await runs.answer(runId, asMeant(question, answer), question.id);
  } catch (thrown) {
    if (toErrorData(thrown).code !== 'policy.expired') throw thrown; // else the run went on without it
  }
}

/** A text is read like a prompt: it may be the number of an option, or a number that a schema asks for. */
function asMeant(question: OpenQuestion, answer: Json): Json {
  return typeof answer === 'string' ? answerIn(question, answer) : answer;
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  using _listening = onAbort(signal, () => {
    aborted.resolve(undefined);
  });
  return signal.aborted ? undefined : await Promise.race([work, aborted.promise]);
}
