import type { Json } from './json.ts';

/** Every way a call can fail: who must act, then what happened. */
export const errorCodes = [
  'usage.unknown-command',
  'usage.unknown-flag',
  'usage.bad-input',
  'usage.not-found',
  'usage.bad-settings',
  'usage.cancelled',
  'skill.not-found',
  'skill.duplicate',
  'skill.invalid',
  'skill.unavailable',
  'skill.failed',
  'skill.changed',
  'skill.no-result',
  'policy.denied',
  'policy.expired',
  'policy.shell-disabled',
  'policy.waiting',
  'limit.too-large',
  'limit.depth',
  'limit.cycle',
  'limit.frames',
  'limit.calls',
  'limit.steps',
  'limit.time',
  'limit.tokens',
  'limit.money',
  'limit.loop',
  'limit.errors',
  'model.unavailable',
  'model.denied',
  'model.not-found',
  'model.busy',
  'model.timeout',
  'model.too-long',
  'model.refused',
  'model.length',
  'model.bad-answer',
  'model.failed',
  'model.aborted',
  'server.unreachable',
  'server.denied',
  'server.failed',
  'server.changed',
  'sandbox.unavailable',
  'sandbox.store',
  'internal.diverged',
  'internal.overtaken',
  'internal.bug',
] as const;

/** One of the codes. The list is closed so that a switch is checked. */
export type ErrorCode = (typeof errorCodes)[number];

/** Whether something is one of the codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (errorCodes as readonly unknown[]).includes(value);
}

/** A failure as plain data, ready for the log, a JSON document or a model. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Json;
}

const marker = Symbol.for('skilled.AgentError');

/** The only error class: the message names the thing, the hint names the next step. */
export class AgentError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Json | undefined;
  readonly [marker] = true;

  constructor(
    code: ErrorCode,
    message: string,
    more: { hint?: string; details?: Json; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.name = 'AgentError';
    this.code = code;
    this.hint = more.hint;
    this.details = more.details;
  }
}

/** Recognises an AgentError even when two copies of the package are loaded. */
export function isAgentError(value: unknown): value is AgentError {
  return typeof value === 'object' && value !== null && marker in value;
}

/** Any thrown value as data; what is not an AgentError is our own bug. */
export function toErrorData(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) {
    return {
      code: thrown.code,
      message: thrown.message,
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
      ...(thrown.details === undefined ? {} : { details: thrown.details }),
    };
  }
  return {
    code: 'internal.bug',
    message: reasonOf(thrown),
    hint: 'This is a defect of skilled. Please report it with the command that led here.',
  };
}

/** A failure that was kept as data, to be thrown again. */
export function fromErrorData({ code, message, hint, details }: ErrorData): AgentError {
  return new AgentError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
}

/** Why something was thrown, in words; never throws itself, whatever was thrown. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'object' && thrown !== null ? 'an object that is not an error' : String(thrown);
}

const exitCodes: Readonly<Record<string, number>> = {
  usage: 2,
  skill: 3,
  policy: 4,
  limit: 5,
  model: 6,
  server: 7,
  sandbox: 7,
  internal: 1,
};

/** The process exit code that belongs to an error code, decided by its prefix. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'skill.failed') return 1; // it ran: nothing is wrong with the file
  if (code === 'usage.cancelled') return 130; // as for any interrupted program
  return exitCodes[code.slice(0, code.indexOf('.'))] ?? 1;
}
