import { hash, randomBytes } from 'node:crypto';
import {
  AgentError,
  hashOf,
  isAgentError,
  isErrorCode,
  isJsonObject,
  membersOf,
  reasonOf,
  redactJson,
  toErrorData,
  toPlain,
  type ErrorData,
  type Json,
  type JsonObject,
  type Output,
  type Redact,
} from '../../core/index.ts';

/** The maximum length of an output's text, in characters. Longer text is truncated, with a note. */
export const maxText = 1_000_000;

/** The maximum length of a value's JSON, in characters. */
const maxJson = 4_000_000;

const maxMessage = 10_000; // The maximum length of a message, in characters.
const maxKey = 200; // The maximum length of a name or key, in characters.

/**
 * Converts a value to its stored form: plain JSON without secrets. Throws `limit.too-large` if the value is
 * too large.
 */
export function cleanValue(value: unknown, redact: Redact): Json {
  const plain = redactJson(toPlain(value), redact);
  const size = sizeOf(plain);
  if (size <= maxJson) return plain;
  throw new AgentError(
    'limit.too-large',
    `The value has ${size.toLocaleString('en')} characters as JSON; the maximum is ${maxJson.toLocaleString('en')}.`,
    { hint: 'Write the value to a file, and pass the path instead.' },
  );
}

/** Converts an error to its stored form. Details that cannot be stored are omitted. */
export function cleanError(thrown: unknown, redact: Redact): ErrorData {
  const { code, message, hint, details } = toErrorData(thrown);
  return {
    code: isErrorCode(code) ? code : 'skill.failed',
    message: cleanText(message, redact),
    ...(hint === undefined ? {} : { hint: cleanText(hint, redact) }),
    ...(details === undefined ? {} : cleanDetails(details, redact)),
  };
}

/** Converts a message to its stored form, removing secrets and truncating very long messages. */
export function cleanText(text: string, redact: Redact): string {
  return cut(redact(text), maxMessage);
}

/** Converts an error of a skill's code, so that it is not reported as a bug in this package. */
export function skillError(thrown: unknown): unknown {
  return isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown));
}

/** Converts an output to its stored form. Invalid or oversized output becomes a failure with the reason. */
export function cleanOutput(output: unknown, redact: Redact): Output {
  const { status, text, value, variables, attachments, error } = membersOf(output);
  if ((status !== 'done' && status !== 'failed') || typeof text !== 'string') return failedOutput(noOutput);
  const shown = cut(redact(text), maxText);
  if (status === 'failed') return { status, text: shown, error: cleanError(errorIn(error, shown), redact) };
  try {
    return {
      status,
      text: shown,
      ...(value === undefined ? {} : { value: cleanValue(value, redact) }),
      ...(Array.isArray(attachments) ? { attachments: cleanValue(attachments, redact) as never } : {}),
      ...(isJsonObject(variables) ? { variables: cleanValue(variables, redact) as JsonObject } : {}),
    };
  } catch (thrown) {
    return failedOutput(cleanError(thrown, redact));
  }
}

/** Returns the output of a failed call. */
export function failedOutput(error: ErrorData): Output {
  return { status: 'failed', text: error.message, error };
}

/** Converts a name or key to its stored form: without secrets, of limited length, and still unique. */
export function cleanKey(key: string, redact: Redact): string {
  const shown = whole(redact(key), maxKey);
  return shown === key ? key : `${shown}#${hashOf(key)}`;
}

const noOutput: ErrorData = {
  code: 'skill.failed',
  message: 'The skill returned something other than an output object.',
  hint: 'Return { status: "done", text, value? } or { status: "failed", text, error }.',
};

/**
 * Returns the error of a failed output. Adds missing properties, because skills in plain JavaScript may omit
 * some.
 */
function errorIn(given: unknown, text: string): AgentError {
  const { code, message, hint, details } = membersOf(given);
  return new AgentError(
    isErrorCode(code) ? code : 'skill.failed',
    typeof message === 'string' ? message : text,
    {
      ...(typeof hint === 'string' ? { hint } : {}),
      ...(details === undefined ? {} : { details: details as Json }),
    },
  );
}

function cleanDetails(details: Json, redact: Redact): { details?: Json } {
  try {
    return { details: cleanValue(details, redact) };
  } catch {
    return {};
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = whole(text, most);
  return `${head}\n[${(text.length - head.length).toLocaleString('en')} more characters were cut off]`;
}

/** Returns the beginning of a string without splitting a surrogate pair. */
export function whole(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isHalf ? most - 1 : most);
}

/** Returns the length of a value as JSON. Estimates the length of strings, numbers, booleans and null. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}

/** Creates the id of a new run. */
export function newRunId(): string {
  return `r_${randomBytes(8).toString('hex')}`;
}

/** Throws `usage.bad-input` if a caller's id for a run is invalid. Ids of preparations are reserved. */
export function checkRunId(id: string): void {
  if (/^(?!p_)[\w-][\w.-]{0,99}$/.test(id)) return;
  throw new AgentError(
    'usage.bad-input',
    'The id of a run must be 1 to 100 letters, digits, "-", "_" or ".".',
    {
      hint: 'Use another id, or leave it out. Ids cannot start with "." or "p_".',
    },
  );
}

/** Returns the id of the run that prepares a bundle. With a digest, the id is the same in every process. */
export function preparationId(digest: string | undefined): string {
  return `p_${digest === undefined ? randomBytes(8).toString('hex') : short(digest)}`;
}

/** Derives a call's id from its caller's id and its key, so that the id stays the same after a restart. */
export function frameIdOf(parent: string, key: string): string {
  return `f_${short(`${parent}/${key}`)}`;
}

/** Returns a question's id, which is used to answer the question. */
export function questionIdOf(frameId: string, key: string): string {
  return `q_${short(`${frameId}/${key}`)}`;
}

/** Returns an idempotency key for an effect. The receiver can use the key to detect duplicates. */
export function idempotencyKeyOf(runId: string, frameId: string, key: string): string {
  return `${runId}.${hash('sha256', `${frameId}/${key}`).slice(0, 24)}`;
}

/** Returns a key for a call or step: its name and a hash of its content. Callers append a counter. */
export function contentKey(name: string, content: Json): string {
  return `${name}:${hashOf(content)}`;
}

function short(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
