import { isJsonObject, parseJson, type ErrorCode, type JsonObject, type Redact } from '../../core/index.ts';

/** What a kind of failure says, and whether the same request may succeed later. */
export interface FailureReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly passing: boolean;
}

/** Tells one kind of failure. Pure. */
export type Failure = (fault: ProviderFault, asked: ModelTarget) => FailureReport;

/** The account has nothing left to pay with. */
export const outOfCredit: Failure = ({ sentence }, asked) => ({
  code: 'model.denied',
  message: `${asked.label} gives no more answers for ${keyOf(asked)}: ${quote(sentence, 'there is no credit left')}`,
  hint: `Add credit to the account at ${asked.label}, or choose another model.`,
  passing: false,
});

/** More text than the model can read. */
export const contextTooLong: Failure = ({ sentence }, { id }) => ({
  code: 'model.too-long',
  message: `The conversation is too long for ${id}: ${quote(sentence, 'it does not fit')}`,
  hint: 'Send less, or choose a model that reads more.',
  passing: false,
});

/** A key that is missing, wrong, expired or not good for this. What the provider says about a wrong key is left out: it may quote it. */
export const keyRefused: Failure = ({ status, sentence }, asked) => {
  const { label, key, keyHint = 'Give it a key that is valid.' } = asked;
  const because = status === 403 ? `: ${quote(sentence, 'it lacks the permission')}` : '.';
  const isMissing = key === undefined && asked.keyHint !== undefined;
  return {
    code: 'model.denied',
    message: isMissing
      ? `${label} asks for a key, and none is set.`
      : `T${keyOf(asked).slice(1)} was refused by ${label}${because}`,
    hint: key === undefined ? keyHint : `Set ${key.variable} to a key that is valid.`,
    passing: false,
  };
};

/** A name that the provider does not know. */
export const modelNotFound: Failure = ({ sentence }, { label, model }) => ({
  code: 'model.not-found',
  message: `${label} has no model "${model}": ${quote(sentence, 'not found')}`,
  hint: 'Check the name of the model and the address of the provider.',
  passing: false,
});

/** Too many requests, of this account or of all. */
export const busy: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.busy',
  message: `${label} is busy${inBrackets(status)}: ${quote(sentence, 'it asks to try again later')}`,
  hint: 'Wait a while, or choose another model.',
  passing: true,
});

/** Nothing came for too long. */
export const timedOut: Failure = (_fault, { label, id }) => ({
  code: 'model.timeout',
  message: `${label} did not answer in time for ${id}.`,
  hint: 'Try again, or choose another model.',
  passing: true,
});

/** A fault of the provider. */
export const providerFailed: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} failed${inBrackets(status)}: ${quote(sentence, 'it does not say why')}`,
  hint: 'Try again later, or choose another model.',
  passing: true,
});

/** A request that the provider does not take. */
export const requestRefused: Failure = ({ status, sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} refused the request${inBrackets(status)}: ${quote(sentence, 'it does not say why')}`,
  hint: 'The same request will be refused again; choose a model that can do what is asked.',
  passing: false,
});

/** An answer that went wrong after it had begun. */
export const answerFailed: Failure = ({ sentence }, { label }) => ({
  code: 'model.failed',
  message: `${label} could not finish the answer: ${quote(sentence, 'it does not say why')}`,
  hint: 'Try again, or choose another model.',
  passing: true,
});

/** Something that is not of the protocol. */
export const unreadable: Failure = (_fault, { label, id }) => ({
  code: 'model.failed',
  message: `${label} sent something that cannot be read as an answer of ${id}.`,
  hint: 'Check that the address is that of a server for models, or try again.',
  passing: true,
});

/** An answer without its end. */
export const answerCut: Failure = (_fault, { id }) => ({
  code: 'model.failed',
  message: `The answer of ${id} was cut off before its end.`,
  hint: 'Try again; if it happens each time, check the address of the provider.',
  passing: true,
});

function keyOf({ key }: ModelTarget): string {
  if (key === undefined) return 'the key';
  return `the key in ${key.variable}${key.from === '.env' ? ' of the file .env' : ''}`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}

/** Who is asked, as messages about it need to say. */
export interface ModelTarget {
  /** `provider/name`. */
  readonly id: string;
  /** The name that the provider knows. */
  readonly model: string;
  /** The provider, as people call it. */
  readonly label: string;
  /** Where it is; the address in a failure unless given. */
  readonly url?: string;
  /** Where its key comes from; never the key. */
  readonly key?: KeyPlace;
  /** What lets people set a key where none is; a sentence. */
  readonly keyHint?: string;
  /** Takes keys out of what the provider says. */
  readonly redact: Redact;
}

/** The variable that holds a key, and where it stands. */
export interface KeyPlace {
  readonly variable: string;
  readonly from: 'environment' | '.env';
}

const most = 300; // characters of what somebody else wrote

/** The words of a provider as the rest of our sentence: one line, not too long, with an end. Pure. */
export function quote(words: string, otherwise: string): string {
  const line = words.replace(/\s+/g, ' ').trim() || otherwise;
  if (line.length > most) return `${line.slice(0, most).toWellFormed()}…`;
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** What can be told about a failure, whichever package or server it comes from. */
export interface ProviderFault {
  /** Of HTTP; that of a good answer when it broke off later. */
  readonly status: number | undefined;
  /** In the words of whoever failed; empty when it has none. */
  readonly sentence: string;
  /** Every code, type and class name, in lower case with spaces between. */
  readonly marks: string;
  readonly headers: JsonObject;
  /** The address that was asked. */
  readonly url: string | undefined;
}

const deepest = 6;

/** Reads a failure by its members and not by its class: errors also come as plain objects inside a stream. Never throws. */
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

/** The failure, then what it holds and what caused it. */
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

/** The usual places, most usual first. */
function sentenceIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return sentenceIn(value[0]); // Google
  if (!isJsonObject(value)) return undefined;
  const { error, message, detail } = value;
  const inner = isJsonObject(error) ? sentenceIn(error) : error;
  return [inner, message, detail].find((text) => typeof text === 'string' && text !== '') as
    string | undefined;
}
