import { AgentError, optional, type RunHandle, type RunRequest, type RunResult } from '../../core/index.ts';
import { sessionKeyOf } from '../../sessions/session-options.ts';
import type { LocalOptions } from './start-run.ts';
import type { PromptIo, PromptOptions } from '../options.ts';

/** A prompt as a run is started with it. */
interface PromptRun {
  readonly request: RunRequest;
  readonly local: LocalOptions;
  /** Gets what skills say while they run. */
  readonly write: PromptIo['outputWriter'];
}

/** The run that a prompt asks for, as a turn of its session; throws `usage.bad-input`. */
export function promptRun(
  prompt: string,
  options: PromptOptions,
  defaults: { readonly prepared: () => Promise<void>; readonly io: PromptIo | undefined },
): PromptRun {
  const { context = {}, skipPreparationAwait = false } = options;
  const io = context.io ?? defaults.io ?? {};
  const local = {
    ...optional('memory', context.sessionMemory),
    ...optional('inputReader', io.inputReader),
    ...optional('prepared', skipPreparationAwait ? undefined : defaults.prepared),
  };
  return { request: requestFor(prompt, options), local, write: io.outputWriter };
}

/** The result of a run; what its skills say is written until it ends or waits. */
export async function promptResult(
  { events, result }: RunHandle,
  write: PromptIo['outputWriter'],
): Promise<RunResult> {
  if (write !== undefined) {
    try {
      for await (const event of events) if (event.type === 'note.added') write(event.message);
    } catch {
      // A line that could not be written is not a failure of the run.
    }
  }
  return result;
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
    ...optional('user', context.user?.id ?? undefined),
    ...optional('roles', context.user?.roles ?? undefined),
    ...optional('limits', limits),
    ...optional('wanted', wanted),
    ...optional('signal', signal),
  };
}
