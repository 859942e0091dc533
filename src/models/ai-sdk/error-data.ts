import {
  isAgentError,
  optional,
  toErrorData as toOwnErrorData,
  type ErrorData,
  type JsonObject,
} from '../../core/index.ts';
import { customProvider } from '../providers/endpoint.ts';
import * as failures from './failures.ts';
import {
  answerCut,
  quote,
  readFault,
  type ModelTarget,
  type Failure,
  type ProviderFault,
  type FailureReport,
} from './failures.ts';

/**
 * Converts any provider or network failure to an error with a one-sentence message. Sets `details.passing` if
 * a retry may succeed.
 */
export function toErrorData(thrown: unknown, asked: ModelTarget): ErrorData {
  if (isAgentError(thrown)) return toOwnErrorData(thrown);
  const fault = readFault(thrown);
  return describe(failureOf(fault), fault, asked);
}

/** Creates the error for a response that was cut off. */
export function cutOff(asked: ModelTarget): ErrorData {
  return describe(failures.answerCut, readFault(undefined), asked);
}

/**
 * Creates the error for a response that the provider marked as failed. `reason` is the provider's
 * explanation, if there is one.
 */
export function endedAsFailed(reason: string | undefined, asked: ModelTarget): ErrorData {
  return describe(failures.answerFailed, readFault(reason), asked);
}

function describe(failure: failures.Failure, fault: ProviderFault, asked: ModelTarget): ErrorData {
  // Redact before truncating, because the redactor would not recognize a truncated key.
  const sentence = asked.redact(fault.sentence.slice(0, maxRead));
  const { code, message, hint, passing } = failure({ ...fault, sentence }, asked);
  const { status = 0, headers } = fault;
  const wait = code === 'model.busy' ? retryAfterMs(headers, Date.now()) : undefined;
  return {
    code,
    message: asked.redact(message),
    hint,
    details: { ...(status >= 400 ? { status } : {}), ...optional('retryAfterMs', wait), passing },
  };
}

const maxRead = 50_000; // The maximum number of characters to redact. Quoted messages are much shorter.

const noCredit = /insufficient_quota|billing_error|credit balance is too low|insufficient credits/i;
const tooLong =
  /context_length_exceeded|exceed_context_size|maximum context length|context (?:window|length|size)|(?:prompt|input) is too long|input token count.{0,40}exceeds|request_too_large/i;
const badKey = /api.?key.{0,12}(?:not valid|invalid|expired)|invalid.?api.?key|loadapikeyerror/i;

/**
 * Determines the kind of failure. Checks the message before the HTTP status, because the message is more
 * specific.
 */
function failureOf(fault: ProviderFault): failures.Failure {
  const { status = 0, sentence, marks } = fault;
  const text = `${marks} ${sentence}`;
  const isBadRequest = status < 500 && status !== 429;
  if (status === 402 || noCredit.test(text)) return failures.outOfCredit;
  if (status === 413 || (isBadRequest && tooLong.test(text))) return failures.contextTooLong;
  if (status === 401 || status === 403 || (isBadRequest && badKey.test(text))) return failures.keyRefused;
  if (status === 404 || /nosuchmodelerror|model_not_found/.test(marks)) return failures.modelNotFound;
  if ([429, 503, 529].includes(status) || /overloaded|rate_limit/.test(marks)) return failures.busy;
  if (status === 408 || status === 504) return failures.timedOut;
  if (/timeout|etimedout/.test(marks)) return noAnswer;
  if (status >= 500) return failures.providerFailed;
  if (status >= 400 || /unsupportedfunctionality|invalidprompt|invalidargument/.test(marks))
    return failures.requestRefused;
  return networkFailure(fault) ?? failureInAnswer(fault);
}

function failureInAnswer({ sentence, marks }: ProviderFault): failures.Failure {
  if (/without a finish reason/i.test(sentence)) return failures.answerCut;
  if (/typevalidationerror|jsonparseerror|emptyresponsebody/.test(marks)) return failures.unreadable;
  return failures.answerFailed;
}

/** Describes a network failure, or returns undefined for any other kind of failure. Pure. */
function networkFailure({ marks, status, sentence }: ProviderFault): Failure | undefined {
  if (marks.includes('econnrefused')) return nothingAnswers;
  if (/enotfound|eai_again/.test(marks)) return unknownHost;
  if (/cert|self_signed|_tls_|_ssl_/.test(marks)) return notSecure;
  if (/econnreset|epipe|und_err_socket|und_err_aborted|econnaborted/.test(marks))
    return status === undefined ? closedTooEarly : answerCut;
  if (
    /ehostunreach|enetunreach|und_err|err_invalid_url/.test(marks) ||
    /^(?:fetch failed|cannot connect to api)/i.test(sentence)
  )
    return unreachable;
  return undefined;
}

const nothingAnswers: Failure = (fault, asked) => ({
  ...unavailable(`Connection refused at ${addressOf(fault, asked)}.`),
  hint: `Start ${asked.label === customProvider ? 'the server' : asked.label}, or check its address.`,
});

const noAnswer: Failure = (fault, asked) => ({
  ...failures.timedOut(fault, asked),
  message: `The request to ${addressOf(fault, asked)} for ${asked.id} timed out.`,
  hint: `Check that ${asked.label === customProvider ? 'the server' : asked.label} is running and can be reached, or choose another model.`,
});

const unknownHost: Failure = (fault, asked) => ({
  ...unavailable(`The host in ${addressOf(fault, asked)} was not found.`),
  passing: fault.marks.includes('eai_again'),
});

const notSecure: Failure = (fault, asked) => ({
  ...unavailable(
    `No secure connection to ${addressOf(fault, asked)}: ${quote(fault.sentence, 'its certificate is not trusted')}`,
  ),
  hint: 'Set NODE_EXTRA_CA_CERTS to a file with the CA certificate for the server, or check the address.',
});

const closedTooEarly: Failure = (fault, asked) => ({
  ...unavailable(`The connection to ${addressOf(fault, asked)} was closed before a response arrived.`),
  hint: 'Try again.',
  passing: true,
});

const unreachable: Failure = (fault, asked) => ({
  ...unavailable(
    `Could not reach ${addressOf(fault, asked)}: ${quote(fault.sentence, 'the network gives no reason')}`,
  ),
  passing: true,
});

function unavailable(message: string): FailureReport {
  return {
    code: 'model.unavailable',
    message,
    hint: 'Check your network connection and the address.',
    passing: false,
  };
}

/** Returns the address without user name, password and query, which may be secret. */
function addressOf(fault: ProviderFault, { url = fault.url, label }: ModelTarget): string {
  if (url === undefined || !URL.canParse(url)) return label;
  const { origin, pathname } = new URL(url);
  return origin + (pathname === '/' ? '' : pathname);
}

/** Returns the delay that the provider's headers ask for, in milliseconds, or undefined. Pure. */
function retryAfterMs(headers: JsonObject, now: number): number | undefined {
  const exact = positive(headers['retry-after-ms']);
  if (exact !== undefined) return exact;
  const seconds = positive(headers['retry-after']);
  if (seconds !== undefined) return seconds * 1000;
  const said = headers['retry-after'];
  // Without this check, `Date.parse` would read an invalid number as a year.
  const date = typeof said === 'string' && /[a-z]/i.test(said) ? Date.parse(said) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
