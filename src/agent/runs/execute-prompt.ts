import {
  AgentError,
  optional,
  toErrorData,
  type RunHandle,
  type RunRequest,
  type RunResult,
} from '../../core/index.ts';
import { sessionKeyOf } from '../../sessions/session-options.ts';
import type { Own } from './start-run.ts';
import type { PromptIo, PromptOptions } from '../options.ts';
import { resultWithout } from './run-handle.ts';

/** What prompts are carried out with. */
interface PromptGround {
  begin(request: RunRequest, own: Own): RunHandle;
  /** Resolves when no skill is being prepared. */
  readonly prepared: () => Promise<void>;
  readonly io: PromptIo | undefined;
}

/** Carries out a prompt as a turn of its session; failures are data, wrong options too. */
export async function executePrompt(
  ground: PromptGround,
  prompt: string,
  options: PromptOptions,
): Promise<RunResult> {
  const { context = {}, skipPreparationAwait = false } = options;
  let request: RunRequest;
  try {
    request = requestFor(prompt, options);
  } catch (thrown) {
    return resultWithout('', '', toErrorData(thrown));
  }
  const io = context.io ?? ground.io ?? {};
  const handle = ground.begin(request, {
    ...optional('memory', context.sessionMemory),
    ...optional('inputReader', io.inputReader),
    ...optional('prepared', skipPreparationAwait ? undefined : ground.prepared),
  });
  if (io.outputWriter !== undefined) await passNotes(handle, io.outputWriter);
  return handle.result;
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

/** Lets a program hear what skills say, until the run ends or waits; one that fails to hears no more. */
async function passNotes({ events }: RunHandle, write: (line: string) => void): Promise<void> {
  try {
    for await (const event of events) if (event.type === 'note.added') write(event.message);
  } catch {
    // That nobody could be told is no failure of what was carried out.
  }
}
