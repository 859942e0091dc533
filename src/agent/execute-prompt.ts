import { AgentError, toErrorData } from '../core/error.ts';
import { optional } from '../core/optional.ts';
import { noUsage } from '../core/model.ts';
import type { RunHandle } from '../core/run-handle.ts';
import type { RunRequest, RunResult } from '../core/run.ts';
import { onAbort } from '../run/timer.ts';
import { sessionKeyOf } from '../sessions/session-key.ts';
import type { Own } from './begin-run.ts';
import type { PromptIo, PromptOptions } from './prompt-options.ts';
import type { RunHistory } from './run-history.ts';

/** What prompts are carried out with. */
export interface PromptGround {
  begin(request: RunRequest, own: Own): RunHandle;
  /** Resolves when no skill is being prepared. */
  prepared(): Promise<void>;
  readonly runs: Pick<RunHistory, 'answer' | 'resume'>;
  readonly io: PromptIo | undefined;
}

/** Carries out a prompt as a turn of its session; failures are data, wrong options too. */
export async function executePrompt(
  ground: PromptGround,
  prompt: string,
  options: PromptOptions,
): Promise<RunResult> {
  const { context = {}, signal, skipPreparationAwait = false } = options;
  let request: RunRequest;
  try {
    request = requestFor(prompt, options);
  } catch (thrown) {
    const error = toErrorData(thrown);
    return { ok: false, runId: '', status: 'failed', skill: '', text: error.message, usage: noUsage, error };
  }
  if (!skipPreparationAwait) await unlessAborted(ground.prepared(), signal);
  const io = context.io ?? ground.io ?? {};
  const handle = ground.begin(request, optional('memory', context.sessionMemory));
  return speakWith(io, ground, handle, signal);
}

/** Resolves as soon as something is done or called off: what begins after that sees the signal itself. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = Promise.withResolvers<undefined>();
  using _listening = onAbort(signal, () => {
    aborted.resolve(undefined);
  });
  if (signal?.aborted !== true) await Promise.race([work, aborted.promise]);
}

function requestFor(prompt: string, options: PromptOptions): RunRequest {
  const { skillName, args, context = {}, signal, limits, wanted } = options;
  if (typeof (prompt as unknown) !== 'string' || (prompt.trim() === '' && skillName === undefined)) {
    throw new AgentError('usage.bad-input', 'There is no prompt.', {
      hint: 'Say in words what is to be done.',
    });
  }
  return {
    prompt,
    ...optional('skill', skillName),
    ...optional('input', args),
    session: sessionKeyOf(context),
    ...optional('user', context.user?.id),
    ...optional('limits', limits),
    ...optional('wanted', wanted),
    ...optional('signal', signal),
  };
}

/** Lets a program hear what skills say, and answer what they ask for as long as it does. */
async function speakWith(
  { inputReader, outputWriter }: PromptIo,
  { runs }: PromptGround,
  begun: RunHandle,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  let seen = 0;
  for (let handle = begun; ; handle = runs.resume(handle.id, optional('signal', signal))) {
    if (outputWriter !== undefined) {
      for await (const event of handle.events) {
        if (event.type === 'note.added' && event.seq > seen) outputWriter(event.message);
        seen = Math.max(seen, event.seq);
      }
    }
    const result = await handle.result;
    const { question } = result;
    if (result.status !== 'waiting' || question?.kind !== 'input' || inputReader === undefined) return result;
    const answer = await inputReader(question, signal ?? new AbortController().signal);
    if (answer === undefined) return result;
    await runs.answer(result.runId, answer, question.id);
  }
}
