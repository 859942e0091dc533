import type { Json } from './json.ts';

/**
 * Every way a call can fail: who must act, then what happened. Above each stands what it means and what to do about it,
 * which docs/reference/errors.md is made of.
 */
export const errorCodes = [
  /** There is no such command. Take the one that the hint names; `skilled help` lists all. */
  'usage.unknown-command',
  /** There is no such flag. Take the one that the hint names; `skilled <command> --help` lists all. */
  'usage.unknown-flag',
  /** The words, flags or members of an input do not fit together, or a value cannot be used. Correct what the message names; `skilled show <skill>` tells what a skill takes. */
  'usage.bad-input',
  /** A file, folder, run, question or frame that was named is not there. Look at the name; `skilled runs` lists runs. */
  'usage.not-found',
  /** A settings file is no JSON and cannot be changed, or a setting cannot be used; when settings are merely read, that is a finding instead. Correct the file and line that the message names. */
  'usage.bad-settings',
  /** The run was interrupted or cancelled. Run it again, or anew from a call on with `skilled rerun --from`. */
  'usage.cancelled',
  /** No skill has this name; `details.near` has the nearest. Take one of those; `skilled list` shows all. */
  'skill.not-found',
  /** Code registered this name before. Give one of the two another name. */
  'skill.duplicate',
  /** A skill breaks a rule that the message names. Correct its files; `skilled validate` checks them. */
  'skill.invalid',
  /** The skill is missing something on this machine, or is switched off. Provide what the message names; `skilled doctor` lists all that is missing. */
  'skill.unavailable',
  /** The skill ran and failed. Read the message, and `skilled trace last` for where it happened. */
  'skill.failed',
  /** The files of the skill changed while somebody was to decide about them. Resume the run, which asks again about them as they are now. */
  'skill.changed',
  /** The skill came to an end without the result that was asked for. Say in its text what it has to come to, or allow it more steps. */
  'skill.no-result',
  /** The call was denied: by a person, a rule, `--safe`, or the list of skills that its caller may call. Change the rule or the list if it should be allowed. */
  'policy.denied',
  /** Nobody decided in time whether the call may happen, or nobody answered a question in time. Run it again; `permissions.approvalHours` says how long there is. */
  'policy.expired',
  /** The settings say that no command in the text of a skill runs. Unset `skills.disableShellExecution` if it should. */
  'policy.shell-disabled',
  /** A skill that was called from code waits for a person; `details` has the run. Answer that with `skilled resume` or `skilled approve`, or `agent.runs`. */
  'policy.waiting',
  /** Something is larger than allowed. Make it smaller, or raise the limit that the message names. */
  'limit.too-large',
  /** Calls nest too deep. Look at `skilled trace last` for who calls whom; `--max-depth` allows more. */
  'limit.depth',
  /** A skill was called with the input that one of its callers has, which would never end. Let it call with something smaller, or not at all. */
  'limit.cycle',
  /** The run called too many skills that may call others. Raise `limits.frames` if that many are needed. */
  'limit.frames',
  /** The run called too many skills that may call no others. Raise `limits.leafCalls` if that many are needed. */
  'limit.calls',
  /** One call asked the model too often. Make its task smaller; `--max-steps` allows more. */
  'limit.steps',
  /** The run, or one call, worked for too long. Look at `skilled trace last --timeline`; `--timeout` allows more. */
  'limit.time',
  /** The run used more tokens than were set. Raise `--max-tokens`, or look at `skilled trace last` for who used them. */
  'limit.tokens',
  /** The run cost more than was set. Raise `--max-cost`, or look at `skilled trace last` for what cost it. */
  'limit.money',
  /** A model made the same call with the same result over and over. Say in the text of the skill when it is done. */
  'limit.loop',
  /** Too many calls of a model failed in a row. Look at `skilled trace last` for the first one that did. */
  'limit.errors',
  /** No model is configured, this is offline, or nothing answers at its address. Set a key or a model; `skilled models` shows what is found. */
  'model.unavailable',
  /** The key of the provider is missing, wrong or not allowed to do this. Correct the variable that holds it; `skilled models --check` proves it. */
  'model.denied',
  /** The provider has no such model. Choose another one with `--model` or in the settings. */
  'model.not-found',
  /** The provider has too much to do, also after further attempts. Wait and resume, or name a second model to ask. */
  'model.busy',
  /** The model did not answer in time. Try again; `modelIdleSeconds` says how long it is waited for. */
  'model.timeout',
  /** What the model was to read is longer than it can take. Give it less, or choose a model that takes more. */
  'model.too-long',
  /** The model refused to answer. Ask otherwise, or another model. */
  'model.refused',
  /** The answer was cut off at its greatest length. Ask for less at once. */
  'model.length',
  /** The answer does not have the form that was asked for, also after corrections. Choose a stronger model, or make the form simpler. */
  'model.bad-answer',
  /** The provider failed in another way. Its own words are in the message. */
  'model.failed',
  /** The caller no longer wants the answer of a model. Nothing needs to be done. */
  'model.aborted',
  /** An MCP server cannot be started or reached, or went away. Look at its command or address; `skilled doctor` asks each server. */
  'server.unreachable',
  /** An MCP server wants other credentials. Correct `bearer`, `headers` or `oauth` of its entry. */
  'server.denied',
  /** An MCP server answered with an error, or with nonsense. Its own words are in the message. */
  'server.failed',
  /** An MCP server describes a tool otherwise than when it was allowed. Look at it, and allow it anew with `skilled approve`. */
  'server.changed',
  /** There is nowhere to run the code of a skill, or what runs it failed to start. Do what the hint says, such as to install bubblewrap or a package; `skilled doctor` runs some code and says what is missing. */
  'sandbox.unavailable',
  /** The store of runs cannot be opened, read or written. Look at the path that the message names, or name another one with `SKILLED_STORE`. */
  'sandbox.store',
  /** A skill did something else when its run was taken up than before. Run it anew with `skilled rerun`. */
  'internal.diverged',
  /** Another process took over the run. Follow it there with `skilled trace <run> --follow`. */
  'internal.overtaken',
  /** A defect of skilled. Please report it with the command that led here. */
  'internal.bug',
] as const;

/** One of the codes. The list is closed so that a switch is checked. */
export type ErrorCode = (typeof errorCodes)[number];

/** Whether something is one of the codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (errorCodes as readonly unknown[]).includes(value);
}

const exitCodes: Readonly<Record<string, number>> = {
  /** Whoever typed the command or made the call. */
  usage: 2,
  /** Whoever writes or installs the skill. */
  skill: 3,
  /** A person who may decide. */
  policy: 4,
  /** Whoever sets the limits. */
  limit: 5,
  /** Whoever provides the model or the network. */
  model: 6,
  /** Whoever provides the MCP server. */
  server: 7,
  /** Whoever looks after the machine. */
  sandbox: 7,
  /** Whoever makes skilled. */
  internal: 1,
};

/** The process exit code that belongs to an error code, decided by its prefix. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'skill.failed') return 1; // it ran: nothing is wrong with the file
  if (code === 'usage.cancelled') return 130; // as for any interrupted program
  return exitCodes[code.slice(0, code.indexOf('.'))] ?? 1;
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
