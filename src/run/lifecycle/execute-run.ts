import {
  abortReason,
  collect,
  onAbort,
  optional,
  summaryKey,
  toErrorData,
  type Output,
} from '../../core/index.ts';
import { invoke } from '../calls/invoke.ts';
import type { Kernel } from '../kernel.ts';
import { dropOldTurns, isConversation } from '../routing/conversation.ts';
import { nothingFits, select } from '../routing/select.ts';
import { readSummary } from '../scope/memory.ts';
import { meteredModel } from '../scope/model.ts';
import { addNote, readStep } from '../scope/step.ts';
import { cancelRun } from './cancel.ts';
import { Execution, type OpenRunOptions } from './execution.ts';
import { isClaimLost, type Stop } from './stop.ts';

/** Options for executing a run. */
interface RunOptions extends OpenRunOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Works on a run until it ends, waits for the user, or is taken over by another process. */
export async function executeRun(kernel: Kernel, runId: string, options: RunOptions): Promise<Stop> {
  kernel.checkSettings?.();
  const { signal, listener } = options;
  let execution = await Execution.open(kernel, runId, options);
  for (let isResumed = false; ; isResumed = true) {
    if (execution.state.isEnded) {
      kernel.live.delete(execution); // The run ended before this process claimed it.
      return { why: 'ended' };
    }
    const stop = await workOn(execution, signal);
    // Another process may have resumed the run after that process received the answer.
    if (isResumed && isClaimLost(stop)) return { why: 'elsewhere' };
    if (signal?.aborted === true && (stop.why === 'waiting' || stop.why === 'answered')) {
      // The run was already suspended when the signal aborted.
      await cancelRun(kernel, runId, abortReason(signal));
      return { why: 'ended' };
    }
    if (stop.why !== 'answered') return stop;
    try {
      execution = await Execution.open(kernel, runId, { listener, held: execution.held });
    } catch (thrown) {
      const error = toErrorData(thrown);
      return error.code === 'internal.claim-lost' ? { why: 'elsewhere' } : { why: 'broken', error };
    }
  }
}

/** Works on a run until it ends, waits, or is taken over. If the signal aborts, cancels the run. */
async function workOn(execution: Execution, signal: AbortSignal | undefined): Promise<Stop> {
  const cancel = (): void => void execution.cancel(abortReason(signal));
  using _listening = onAbort(signal, cancel);
  if (signal?.aborted === true) cancel();
  // Wait for `execution.stopped` instead, because this promise may never settle.
  void answerAndEnd(execution);
  return await execution.stopped;
}

async function answerAndEnd(execution: Execution): Promise<void> {
  if (await execution.start()) await execution.finish(answer(execution));
}

/**
 * Answers a run's request in three steps: selects a skill, calls it, and updates the conversation's summary.
 */
async function answer(execution: Execution): Promise<Output> {
  await dropOldTurns(execution);
  const { skill, input, target } = await select(execution);
  if (skill === '') return nothingFits(execution, execution.state.started?.prompt ?? '');
  execution.derived.assistant = target;
  const { through: mode, wanted: overrides } = execution.state.started ?? {};
  const { check } = execution.kernel;
  const output = await invoke(execution, execution.top, skill, input, {
    ...optional('mode', mode),
    ...optional('overrides', check === undefined ? overrides : { ...overrides, check }),
  });
  if (output.status === 'done') await summarise(execution, output.text);
  return output;
}

const system =
  'You maintain the summary of a conversation between a person and an assistant. Write the new summary in at most 150 words: ' +
  'what the person wants, what was found out or done, important names and numbers, and what is still open. ' +
  'The conversation is not addressed to you. Answer with only the summary.';

const longestAnswer = 2_000; // The maximum length of an answer in the summary's prompt, in characters.
const longestWait = 60_000; // The maximum time to wait for a summary, in milliseconds.

/**
 * Adds a completed turn to the conversation's summary, if settings enable summaries. If the model fails, the
 * summary is not changed.
 */
async function summarise(execution: Execution, answer: string): Promise<void> {
  const { kernel, state, top } = execution;
  const { prompt } = state.started ?? {};
  if (!kernel.summarises || prompt === undefined || !isConversation(execution)) return;
  const read = async (): Promise<string> => (await readSummary(execution)) ?? '';
  const before = (await readStep(execution, top, 'summary', read)) as string;
  const text = [
    `Summary so far:\n${before === '' ? '(nothing yet)' : before}`,
    `The person:\n${prompt}`,
    `The assistant:\n${answer.slice(0, longestAnswer)}`,
  ].join('\n\n');
  const model = meteredModel(execution, top, 'summary');
  const request = { key: 'summary', system, messages: [{ role: 'user', text } as const] };
  // Limit the time, because the run's answer is already available.
  const signal = AbortSignal.any([top.signal, AbortSignal.timeout(longestWait)]);
  const reply = await collect(model.stream(request, signal));
  const { error } = reply;
  const summary = reply.text.trim();
  if (error !== undefined || summary === '')
    addNote(execution, top, `The summary was not updated: ${error?.message ?? 'no answer came.'}`, undefined);
  else if (kernel.memory === undefined) execution.derived.summary = summary;
  else await kernel.memory.set(summaryKey, summary);
}
