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

/** Characters of text that one output may have; the rest is cut off, and the text says so. */
export const mostText = 1_000_000;

/** Characters that one value may have as JSON. */
const mostJson = 4_000_000;

const mostMessage = 10_000; // characters
const mostKey = 200;

/** A value as it may be kept: plain JSON without secrets; throws `limit.too-large` for one that is too large to keep. */
export function cleanValue(value: unknown, redact: Redact): Json {
  const plain = redactJson(toPlain(value), redact);
  const size = sizeOf(plain);
  if (size <= mostJson) return plain;
  throw new AgentError(
    'limit.too-large',
    `The value has ${size.toLocaleString('en')} characters as JSON; ${mostJson.toLocaleString('en')} are kept at most.`,
    { hint: 'Write it to a file and give the path instead.' },
  );
}

/** A failure as it may be kept: details that cannot be are left out. */
export function cleanError(thrown: unknown, redact: Redact): ErrorData {
  const { code, message, hint, details } = toErrorData(thrown);
  return {
    code: isErrorCode(code) ? code : 'skill.failed',
    message: cleanText(message, redact),
    ...(hint === undefined ? {} : { hint: cleanText(hint, redact) }),
    ...(details === undefined ? {} : cleanDetails(details, redact)),
  };
}

/** A message as it may be kept: without secrets, and cut where it is very long. */
export function cleanText(text: string, redact: Redact): string {
  return cut(redact(text), mostMessage);
}

/** What the code of a skill throws is its own failure, not a defect of this package. */
export function skillError(thrown: unknown): unknown {
  return isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown));
}

/** An output as it may be kept; one that is none, or too large, becomes a failure that says so. */
export function cleanOutput(output: unknown, redact: Redact): Output {
  const { status, text, value, variables, error } = membersOf(output);
  if ((status !== 'done' && status !== 'failed') || typeof text !== 'string') return failedOutput(noOutput);
  const shown = cut(redact(text), mostText);
  if (status === 'failed') return { status, text: shown, error: cleanError(errorIn(error, shown), redact) };
  try {
    return {
      status,
      text: shown,
      ...(value === undefined ? {} : { value: cleanValue(value, redact) }),
      ...(isJsonObject(variables) ? { variables: cleanValue(variables, redact) as JsonObject } : {}),
    };
  } catch (thrown) {
    return failedOutput(cleanError(thrown, redact));
  }
}

/** The output of a call that failed. */
export function failedOutput(error: ErrorData): Output {
  return { status: 'failed', text: error.message, error };
}

/** A name or key as it may be kept: without secrets and of a bearable length, and still another one than any other. */
export function cleanKey(key: string, redact: Redact): string {
  const shown = whole(redact(key), mostKey);
  return shown === key ? key : `${shown}#${hashOf(key)}`;
}

const noOutput: ErrorData = {
  code: 'skill.failed',
  message: 'The skill returned something that is not an output.',
  hint: 'Return { status: "done", text, value? } or { status: "failed", text, error }.',
};

/** The error of a failed output; a skill without a type checker may have left out what belongs to it. */
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
    return {}; // what cannot be kept is not worth the failure that it describes
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = whole(text, most);
  return `${kept}\n[${(text.length - kept.length).toLocaleString('en')} more characters were cut off]`;
}

/** The beginning of a text that does not end in the middle of a character. */
export function whole(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isHalf ? most - 1 : most);
}

/** The length of a value as JSON, without making that text where the value is small. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}

/** The id of a new run. */
export function newRunId(): string {
  return `r_${randomBytes(8).toString('hex')}`;
}

/** The id of the run that prepares a bundle, the same in every process. */
export function preparationId(digest: string | undefined): string {
  return `p_${digest === undefined ? randomBytes(8).toString('hex') : short(digest)}`;
}

/** What tells a user from others in the log, where nobody is to be named. */
export function userKey(user: string | undefined): string | undefined {
  return user === undefined || user === '' ? undefined : short(`user/${user}`);
}

/** The id of a call, from that of its caller and its key: the same after every restart. */
export function frameIdOf(parent: string, key: string): string {
  return `f_${short(`${parent}/${key}`)}`;
}

/** The id by which a question is answered. */
export function questionIdOf(frameId: string, key: string): string {
  return `q_${short(`${frameId}/${key}`)}`;
}

/** What an effect is recognised by wherever it arrives twice. */
export function idempotencyKeyOf(runId: string, frameId: string, key: string): string {
  return `${runId}.${hash('sha256', `${frameId}/${key}`).slice(0, 24)}`;
}

/** What tells a call or step from others by its content: a name and a hash, to be counted by occurrence. */
export function contentKey(name: string, content: Json): string {
  return `${name}:${hashOf(content)}`;
}

function short(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
