import { reasonOf } from './crash-reason.ts';
import type { Json } from './json.ts';

/**
 * All error codes. The prefix says who must act; the rest says what happened. Each code's comment explains
 * the code and what to do; docs/reference/errors.md is generated from these comments.
 */
export const errorCodes = [
  /** The command does not exist. Use the one in the hint; `skilled help` lists all commands. */
  'usage.unknown-command',
  /** The flag does not exist. Use the one in the hint; `skilled <command> --help` lists all flags. */
  'usage.unknown-flag',
  /**
   * The arguments, flags or input fields contradict each other, or a value is invalid. Correct the part that
   * the message names; `skilled show <skill>` shows a skill's input.
   */
  'usage.bad-input',
  /** The file, folder, run, question or frame does not exist. Check the name; `skilled runs` lists runs. */
  'usage.not-found',
  /**
   * A settings file is not valid JSON and cannot be changed, or a setting is invalid. When settings are only
   * read, this is reported as an issue instead. Correct the file and line in the message.
   */
  'usage.bad-settings',
  /** The run was interrupted or cancelled. Run it again; `skilled rerun --from` repeats a part. */
  'usage.cancelled',
  /**
   * The request contradicts an earlier request, such as another body with the same `Idempotency-Key`. Use
   * another key.
   */
  'usage.conflict',
  /**
   * No skill has this name; `details.near` lists the closest matches. Use one of those; `skilled list` shows
   * all skills.
   */
  'skill.not-found',
  /** A skill with this name has already been registered from code. Rename one of the two. */
  'skill.duplicate',
  /** A skill breaks the rule that the message names. Correct its files; `skilled validate` checks them. */
  'skill.invalid',
  /**
   * The skill requires something that is missing or disabled on this machine. Provide what the message names;
   * `skilled doctor` lists everything that is missing.
   */
  'skill.unavailable',
  /** The skill ran and failed. Read the message; `skilled trace last` shows where it happened. */
  'skill.failed',
  /**
   * The skill's files changed while the user was reviewing them. Resume the run, which asks again about the
   * current files.
   */
  'skill.changed',
  /**
   * A source has something that is never installed, such as a link or an unsafe path, or is too large. Nothing
   * was installed. Tell the publisher, or use another source.
   */
  'skill.refused',
  /** Another call changed a value in memory after this call had read it. Call the skill again. */
  'skill.conflict',
  /** The skill ended without the requested result. State it in the skill's text, or allow more steps. */
  'skill.no-result',
  /**
   * The call was denied by a user, a rule, `--safe`, or the list of skills that its caller is allowed to
   * call. Change the rule or the list if the call should be allowed.
   */
  'policy.denied',
  /**
   * No one approved the call or answered the question in time. Run the skill again;
   * `permissions.approvalHours` sets the time limit.
   */
  'policy.expired',
  /**
   * The request to the server has no valid key or token. Send `Authorization: Bearer <key>`; `skilled keys
   * add` creates a key.
   */
  'policy.unauthenticated',
  /** The settings disable all commands in skill texts. Unset `skills.disableShellExecution` to allow them. */
  'policy.shell-disabled',
  /**
   * A skill called from code is waiting for human input; `details` names the run. Respond with
   * `skilled resume`, `skilled approve` or `agent.runs`.
   */
  'policy.waiting',
  /** Something is larger than allowed. Make it smaller, or raise the limit that the message names. */
  'limit.too-large',
  /**
   * Calls are nested too deeply. `skilled trace last` shows which skill calls which; `--max-depth` allows
   * more.
   */
  'limit.depth',
  /**
   * A skill called itself, directly or through others, with the same input, and would never finish. Call it
   * with a smaller input, or not at all.
   */
  'limit.cycle',
  /** The run called too many skills that can call others. Raise `limits.frames` if it needs that many. */
  'limit.frames',
  /** The run called too many skills that cannot call others. Raise `limits.leafCalls` if needed. */
  'limit.calls',
  /** One call used too many model steps. Give it a smaller task; `--max-steps` allows more. */
  'limit.steps',
  /**
   * The run, or one of its calls, took too long. `skilled trace last --timeline` shows where; `--timeout`
   * allows more.
   */
  'limit.time',
  /** The run used too many tokens. Raise `--max-tokens`; `skilled trace last` shows what used them. */
  'limit.tokens',
  /** The run cost more than allowed. Raise `--max-cost`; `skilled trace last` shows the cost of each part. */
  'limit.money',
  /** A model kept repeating a call and got the same result. Say in the skill's text when the task is done. */
  'limit.loop',
  /** The key sent too many requests. Wait for the time in `details.retryAfter`, in seconds. */
  'limit.rate',
  /** The key has used its budget for today. Wait until midnight UTC, or use a key with a higher budget. */
  'limit.budget',
  /** The server has no capacity for the request at the moment. Send it again later. */
  'limit.busy',
  /** Too many of a model's calls failed in a row. `skilled trace last` shows the first one that failed. */
  'limit.errors',
  /**
   * No model is configured, skilled is offline, or the model's address does not respond. Set an API key or a
   * model; `skilled models` lists the models that were found.
   */
  'model.unavailable',
  /**
   * The provider's API key is missing, wrong, or lacks a permission. Correct the environment variable that
   * contains the key; `skilled models --check` tests it.
   */
  'model.denied',
  /** The provider does not have this model. Choose another one with `--model` or in the settings. */
  'model.not-found',
  /**
   * The provider is overloaded, even after retries. Wait and resume, or configure a second model as a
   * fallback.
   */
  'model.busy',
  /** The model did not respond in time. Try again; `modelIdleSeconds` sets the time limit. */
  'model.timeout',
  /** The request is longer than the model accepts. Shorten it, or choose a model that accepts more. */
  'model.too-long',
  /** The model refused to answer. Rephrase the request, or use another model. */
  'model.refused',
  /** The response was cut off at its maximum length. Ask for a shorter response. */
  'model.length',
  /**
   * The response does not match the requested format, even after corrections. Choose a stronger model, or
   * simplify the format.
   */
  'model.bad-answer',
  /** The provider failed in another way. Read the message, which contains the provider's own error. */
  'model.failed',
  /** The request was cancelled because its caller no longer needs the response. No action is needed. */
  'model.aborted',
  /**
   * An MCP server cannot be started or reached, or has disconnected. Check its command or address; `skilled
   * doctor` checks each server.
   */
  'server.unreachable',
  /** An MCP server did not accept the credentials. Correct `bearer`, `headers` or `oauth` in its entry. */
  'server.denied',
  /** An MCP server returned an error or an invalid response. The message contains its own error. */
  'server.failed',
  /**
   * An MCP server's description of a tool has changed since the tool was allowed. Review it, and allow it
   * again with `skilled approve`.
   */
  'server.changed',
  /** The source of a skill cannot be reached, or does not have what was asked for. Check the address. */
  'source.unreachable',
  /**
   * A source no longer has the version in the lock, or a tag or version now has other content. Review it, and
   * accept it with `skilled update --moved`.
   */
  'source.changed',
  /** A skill's code cannot be run here. Follow the hint; `skilled doctor` reports what is missing. */
  'sandbox.unavailable',
  /**
   * The run store cannot be opened, read or written. Check the path in the message, or set a different one
   * with `SKILLED_STORE`. A run that was in progress is interrupted; `skilled resume` continues it.
   */
  'sandbox.store',
  /** A skill behaved differently when its run was resumed. Run it again with `skilled rerun`. */
  'internal.diverged',
  /** Another process took over the run. Watch it with `skilled trace <run> --follow`. */
  'internal.claim-lost',
  /** There is a bug in skilled. Please report it with the command that caused it. */
  'internal.bug',
] as const;

/**
 * An error code. It says who must act and what is wrong. The list of codes is closed, so a `switch` can cover
 * all codes. The error reference describes each one.
 */
export type ErrorCode = (typeof errorCodes)[number];

/** Whether a value is an error code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (errorCodes as readonly unknown[]).includes(value);
}

/** Codes from release 0.1 that stored logs may still contain, mapped to their current names. */
const renamedCodes: Readonly<Record<string, ErrorCode>> = { 'internal.overtaken': 'internal.claim-lost' };

/** Returns the current name of a code. */
export function currentCode(code: string): ErrorCode {
  return renamedCodes[code] ?? (code as ErrorCode);
}

/** The exit code for each prefix. The comments say who must act and appear in the error reference. */
const exitCodes: Readonly<Record<string, number>> = {
  /** The user or the caller. */
  usage: 2,
  /** The author of the skill, or the person who installed it. */
  skill: 3,
  /** Someone who is allowed to decide. */
  policy: 4,
  /** The person who sets the limits. */
  limit: 5,
  /** The model's provider, or the network. */
  model: 6,
  /** The operator of the MCP server. */
  server: 7,
  /** The publisher of the skills, or the network. */
  source: 7,
  /** The administrator of the machine. */
  sandbox: 7,
  /** The developers of skilled. */
  internal: 1,
};

/** Returns the process exit code for an error code, based on the error code's prefix. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'skill.failed') return 1; // The skill itself is valid; only this run failed.
  if (code === 'usage.cancelled') return 130; // The conventional exit code for an interrupted process.
  return exitCodes[code.slice(0, code.indexOf('.'))] ?? 1;
}

/** An error as plain data, for the log, a JSON document or a model. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Json;
}

const marker = Symbol.for('skilled.AgentError');

/** The project's only error class. The message states the problem; the hint states the next step. */
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
    this.code = currentCode(code);
    this.hint = more.hint;
    this.details = more.details;
  }
}

/** Recognises an AgentError even when two copies of the package are loaded. */
export function isAgentError(value: unknown): value is AgentError {
  return typeof value === 'object' && value !== null && marker in value;
}

/**
 * Converts any thrown value to plain data. Anything other than an AgentError is reported as a bug in skilled.
 */
export function toErrorData(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) {
    return {
      code: currentCode(thrown.code),
      message: thrown.message,
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
      ...(thrown.details === undefined ? {} : { details: thrown.details }),
    };
  }
  return {
    code: 'internal.bug',
    message: reasonOf(thrown),
    hint: 'This is a bug in skilled. Please report it with the command that caused it.',
  };
}

/** Creates an AgentError from stored data, so that it can be thrown again. */
export function fromErrorData({ code, message, hint, details }: ErrorData): AgentError {
  return new AgentError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
}
