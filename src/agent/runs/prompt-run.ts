import {
  acceptRenamed,
  AgentError,
  optional,
  type MemoryMap,
  type RunHandle,
  type RunRequest,
  type RunResult,
  type RunUser,
} from '../../core/index.ts';
import { sessionKeyOf } from '../../sessions/session-options.ts';
import type { LocalOptions } from './start-run.ts';
import type { PromptIo, PromptOptions, PromptUser } from '../options.ts';

/** Everything needed to start a prompt's run. */
interface PromptRun {
  readonly request: RunRequest;
  readonly local: LocalOptions;
  /** Receives the lines that skills output while they run. */
  readonly write: PromptIo['outputWriter'];
}

/** Builds a prompt's run as a turn of its session. Throws `usage.bad-input` if the prompt is invalid. */
export function promptRun(
  prompt: string,
  given: PromptOptions,
  defaults: { readonly prepared: () => Promise<void>; readonly io: PromptIo | undefined },
): PromptRun {
  const options = acceptRenamed(mustBeObject('options', given), { wanted: 'overrides' }, 'PromptOptions');
  const { skipPreparationAwait = false } = options;
  const context = mustBeObject('context', options.context);
  const sessionMemory = options.sessionMemory ?? context.sessionMemory ?? undefined;
  if (sessionMemory !== undefined) mustBeMemory(sessionMemory);
  const io = options.io ?? context.io ?? defaults.io;
  const { inputReader, outputWriter } = io ?? {};
  const ways = { reads: inputReader !== undefined, writes: outputWriter !== undefined };
  const local = {
    ...optional('memory', sessionMemory),
    ...optional('inputReader', inputReader),
    ...optional('io', io && ways),
    ...optional('prepared', skipPreparationAwait ? undefined : defaults.prepared),
  };
  return { request: requestFor(prompt, { ...options, context }), local, write: outputWriter };
}

/** Returns the given object, or an empty one for null or undefined. Throws for anything else. */
function mustBeObject<Given extends object>(name: string, given: Given | null | undefined): Given {
  if (given === undefined || given === null) return {} as Given;
  if (typeof (given as unknown) === 'object') return given;
  throw new AgentError('usage.bad-input', `The ${name} of a prompt must be an object, not ${typeof given}.`, {
    hint: "Pass for example { session: 'ann' }, or leave it out.",
  });
}

function mustBeMemory(memory: MemoryMap): void {
  const missing = (['get', 'set', 'delete'] as const).filter((name) => typeof memory[name] !== 'function');
  if (missing.length === 0) return;
  throw new AgentError('usage.bad-input', `sessionMemory has no ${missing.join(', ')}.`, {
    hint: 'Pass a Map, or an object with get, set and delete.',
    details: { missing },
  });
}

/** Returns a run's result. Until the run ends or waits, passes on the lines that its skills output. */
export async function promptResult(
  { events, result }: RunHandle,
  write: PromptIo['outputWriter'],
): Promise<RunResult> {
  if (write !== undefined) {
    try {
      for await (const event of events) if (event.type === 'note.added') write(event.message);
    } catch {
      // A failed write of a line is not a failure of the run.
    }
  }
  return result;
}

function userOf({ id, roles }: PromptUser = {}): RunUser | undefined {
  if ((id ?? roles ?? undefined) === undefined) return undefined;
  return { ...optional('id', id ?? undefined), ...optional('roles', roles ?? undefined) };
}

function requestFor(prompt: string, options: PromptOptions): RunRequest {
  const { skillName, args, context = {}, session, user, signal, limits, overrides, question } = options;
  if (typeof (prompt as unknown) !== 'string' || (prompt.trim() === '' && skillName === undefined)) {
    throw new AgentError('usage.bad-input', 'The prompt is empty.', {
      hint: 'Describe what you would like to do.',
    });
  }
  const whose = user ?? context.user ?? undefined; // Callers without type checks can pass null.
  return {
    prompt,
    ...optional('skill', skillName),
    ...optional('input', args),
    session: sessionKeyOf({
      ...optional('sessionId', session ?? context.sessionId),
      ...optional('user', whose),
    }),
    ...optional('user', userOf(whose)),
    ...optional('question', question),
    ...optional('limits', limits),
    ...optional('overrides', overrides),
    ...optional('signal', signal),
  };
}
