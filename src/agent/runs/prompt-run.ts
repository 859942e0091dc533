import {
  acceptRenamed,
  AgentError,
  optional,
  type MemoryMap,
  type RunLimits,
  type RunRequest,
  type RunUser,
} from '../../core/index.ts';
import { sessionKeyOf } from '../../sessions/session-options.ts';
import type { LocalOptions } from './start-run.ts';
import type { PromptOptions, PromptUser } from '../prompt-options.ts';

/** Everything needed to start a prompt's run. */
interface PromptRun {
  readonly request: RunRequest;
  readonly local: LocalOptions;
}

/**
 * Builds the request for a prompt's run, which is a turn in its session. Throws `usage.bad-input` if the
 * prompt is invalid.
 */
export function promptRun(prompt: string, given: PromptOptions, prepared: () => Promise<void>): PromptRun {
  const options = acceptRenamed(mustBeObject('options', given), { wanted: 'overrides' }, 'PromptOptions');
  const { skipPreparationAwait = false } = options;
  const context = mustBeObject('context', options.context);
  const sessionMemory = options.sessionMemory ?? context.sessionMemory ?? undefined;
  if (sessionMemory !== undefined) mustBeMemory(sessionMemory);
  const local = {
    ...optional('memory', sessionMemory),
    ...optional('io', options.io ?? context.io ?? undefined),
    ...optional('prepared', skipPreparationAwait ? undefined : prepared),
  };
  return { request: requestFor(prompt, { ...options, context }), local };
}

/**
 * Raises the limit on a frame's steps to the `maxTicks` of a request, because otherwise the agent's limit
 * would stop the run earlier. A limit that the request itself sets is not changed.
 */
export function withStepLimit(request: RunRequest, { steps }: RunLimits): RunRequest {
  const { limits, overrides: { maxTicks = 0 } = {} } = request;
  if (!Number.isSafeInteger(maxTicks) || maxTicks <= steps || limits?.steps !== undefined) return request;
  return { ...request, limits: { ...limits, steps: maxTicks } };
}

/** Returns the object, or an empty object for null or undefined. Throws for anything else. */
function mustBeObject<Given extends object>(name: string, given: Given | null | undefined): Given {
  if (given === undefined || given === null) return {} as Given;
  if (typeof (given as unknown) === 'object') return given;
  throw new AgentError('usage.bad-input', `The ${name} of a prompt must be an object, not ${typeof given}.`, {
    hint: "Pass an object, for example { session: 'ann' }, or leave it out.",
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

function userOf({ id, roles }: PromptUser = {}): RunUser | undefined {
  if ((id ?? roles ?? undefined) === undefined) return undefined;
  return { ...optional('id', id ?? undefined), ...optional('roles', roles ?? undefined) };
}

function requestFor(prompt: string, options: PromptOptions): RunRequest {
  const {
    skillName,
    args,
    context = {},
    assistant,
    attachments,
    session,
    user,
    signal,
    limits,
    overrides,
    question,
  } = options;
  if (typeof (prompt as unknown) !== 'string' || (prompt.trim() === '' && skillName === undefined)) {
    throw new AgentError('usage.bad-input', 'The prompt is empty.', {
      hint: 'Describe what you would like to do.',
    });
  }
  const whose = user ?? context.user ?? undefined; // Untyped programs can pass null.
  return {
    prompt,
    ...optional('skill', skillName),
    ...optional('input', args),
    ...optional('assistant', assistant),
    ...optional('attachments', attachments),
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
