import type { ErrorCode } from './error-code.ts';
import type { Json } from './json.ts';

export { errorCodes, exitCodeOf, isErrorCode, type ErrorCode } from './error-code.ts';

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
