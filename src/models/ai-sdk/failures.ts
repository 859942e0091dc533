import { isJsonObject, parseJson, type ErrorCode, type JsonObject, type Redact } from '../../core/index.ts';

/** A report of a failure. `passing` is true if the same request may succeed later. */
export interface FailureReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly passing: boolean;
}

/** Reports one kind of failure. Pure. */
export type Failure = (fault: ProviderFault, asked: ModelTarget) => FailureReport;

/** Reports that the account has no credit left. */
export const outOfCredit: Failure = ({ sentence }, asked) => ({
  code: 'model.denied',
  message: `${asked.label} accepts no more requests for ${keyOf(asked)}: ${quote(sentence, 'the account has no credit left')}`,
  hint: `Add credit to the account at ${asked.label}, or choose another model.`,
  passing: false,
});

/** Reports that the request exceeds the model's context. */
export const contextTooLong: Failure = ({ sentence }, { id }) => ({
  code: 'model.too-long',
  message: `The conversation is too long for ${id}: ${quote(sentence, 'it does not fit')}`,
  hint: 'Shorten the conversation, or choose a model with a larger context.',
  passing: false,
});

/**
 * Reports a key that is missing, invalid, expired or lacks a permission. The provider's message about an
 * invalid key is omitted because it may quote the key.
 */
export const keyRefused: Failure = ({ status, sentence }, asked) => {
  const { label, key, keyHint = 'Set a valid key.' } = asked;
  const because = status === 403 ? `: ${quote(sentence, 'it lacks permission')}` : '.';
  const isMissing = key === undefined && asked.keyHint !== undefined;
  return {
    code: 'model.denied',
    message: isMissing
      ? `${label} requires a key, but none is set.`
      : `T${keyOf(asked).slice(1)} was rejected by ${label}${because}`,
    hint: key === undefined ? keyHint : `Set ${key.variable} to a valid key.`,
    passing: false,
  };
};

/** Reports that the provider does not know the model. */
export const modelNotFound: Failure = ({ sentence }, { label, model }) => ({
  code: 'model.not-found',
  message: `${label} has no model "${model}": ${quote(sentence, 'not found')}`,
  hint: 'Check the model name and the address of the provider.',
  passing: false,
});

/** Reports too many requests, either from this account or from all of the provider's users. */
export const busy: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.busy',
  message: `${label} is busy${inBrackets(status)}: ${quote(sentence, 'it asks to try again later')}`,
  hint: 'Wait a while, or choose another model.',
  passing: true,
});

/** Reports a timeout. */
export const timedOut: Failure = (_fault, { label, id }) => ({
  code: 'model.timeout',
  message: `The request to ${label} for ${id} timed out.`,
  hint: 'Try again, or choose another model.',
  passing: true,
});

/** Reports a failure on the provider's side. */
export const providerFailed: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} failed${inBrackets(status)}: ${quote(sentence, 'it gives no reason')}`,
  hint: 'Try again later, or choose another model.',
  passing: true,
});

/** Reports a request that the provider rejected. */
export const requestRefused: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} rejected the request${inBrackets(status)}: ${quote(sentence, 'it gives no reason')}`,
  hint: 'The same request will be rejected again; choose a model that supports it.',
  passing: false,
});

/** Reports a response that failed while it was being streamed. */
export const answerFailed: Failure = ({ sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} could not finish the answer: ${quote(sentence, 'it gives no reason')}`,
  hint: 'Try again, or choose another model.',
  passing: true,
});

/** Reports a response that does not follow the protocol. */
export const unreadable: Failure = (_fault, { label, id }) => ({
  code: 'model.failed',
  message: `${label} sent an invalid response for ${id}.`,
  hint: 'Check that the address belongs to a model server, or try again.',
  passing: true,
});

/** Reports a response that ended before it was complete. */
export const answerCut: Failure = (_fault, { id }) => ({
  code: 'model.failed',
  message: `The answer from ${id} was cut off.`,
  hint: 'Try again; if it keeps happening, check the address of the provider.',
  passing: true,
});

function keyOf({ key }: ModelTarget): string {
  if (key === undefined) return 'the key';
  return `the key in ${key.variable}${key.from === '.env' ? ' in the file .env' : ''}`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}

/** The requested model, with the names to show in error messages. */
export interface ModelTarget {
  /** The model's id, as `provider/name`. */
  readonly id: string;
  /** The model's name at the provider. */
  readonly model: string;
  /** The provider's display name. */
  readonly label: string;
  /** The provider's URL. Defaults to the URL in the failure. */
  readonly url?: string;
  /** The location of the provider's key. Never contains the key itself. */
  readonly key?: KeyLocation;
  /** The instruction for setting a missing key, as one sentence. */
  readonly keyHint?: string;
  /** Removes secrets, such as keys, from the provider's messages. */
  readonly redact: Redact;
}

/** The environment variable that contains a key, and where the variable is set. */
export interface KeyLocation {
  readonly variable: string;
  readonly from: 'environment' | '.env';
}

const most = 300; // The maximum length of a quoted message, in characters.

/**
 * Formats a provider's message so that it can end a sentence: one short line with final punctuation. Uses
 * `otherwise` if the message is empty. Pure.
 */
export function quote(text: string, otherwise: string): string {
  const line = text.replace(/\s+/g, ' ').trim() || otherwise;
  if (line.length > most) return `${line.slice(0, most).toWellFormed()}…`;
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** The properties of a failure that do not depend on the provider or its package. */
export interface ProviderFault {
  /** The HTTP status. If the connection broke during the response, this is the initial success status. */
  readonly status: number | undefined;
  /** The provider's message, or an empty string. */
  readonly sentence: string;
  /** The failure's codes, types and class names, in lower case and separated by spaces. */
  readonly marks: string;
  readonly headers: JsonObject;
  /** The URL of the request. */
  readonly url: string | undefined;
}

const deepest = 6;

/**
 * Reads the properties of a failure. Does not rely on the error's class, because a stream can
 * contain errors as plain objects. Never throws.
 */
export function readFault(thrown: unknown): ProviderFault {
  const chain = chainOf(thrown, deepest);
  const first: JsonObject = chain[0] ?? {};
  return {
    status: chain.map(statusOf).find((status) => status !== undefined),
    sentence: sentenceOf(thrown, first),
    marks: chain.flatMap(marksOf).join(' ').toLowerCase(),
    headers: isJsonObject(first['responseHeaders']) ? first['responseHeaders'] : {},
    url: typeof first['url'] === 'string' ? first['url'] : undefined,
  };
}

/** Returns a failure together with its nested errors and causes. */
function chainOf(value: unknown, depth: number): readonly JsonObject[] {
  if (!isJsonObject(value) || depth === 0) return [];
  const body = typeof value['responseBody'] === 'string' ? parseJson(value['responseBody']) : undefined;
  return [
    value,
    ...[value['error'], value['data'], body, value['cause']].flatMap((inner) => chainOf(inner, depth - 1)),
  ];
}

function statusOf({ statusCode, code }: JsonObject): number | undefined {
  return [statusCode, code].map(Number).find((number) => number >= 200 && number <= 599);
}

function marksOf({ code, type, status, name, reason }: JsonObject): readonly string[] {
  return [code, type, status, name, reason].filter((mark) => typeof mark === 'string');
}

function sentenceOf(thrown: unknown, fault: JsonObject): string {
  if (typeof thrown === 'string') return thrown;
  const body = fault['responseBody'];
  const inBody = typeof body === 'string' ? sentenceIn(parseJson(body)) : undefined;
  return inBody ?? sentenceIn(fault) ?? '';
}

/** Searches the properties that usually contain a message, the most common one first. */
function sentenceIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return sentenceIn(value[0]); // Google wraps its errors in an array.
  if (!isJsonObject(value)) return undefined;
  const { error, message, detail } = value;
  const inner = isJsonObject(error) ? sentenceIn(error) : error;
  return [inner, message, detail].find((text) => typeof text === 'string' && text !== '') as
    string | undefined;
}
