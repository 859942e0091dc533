import { isAgentError, toErrorData as toOwnErrorData, type ErrorData } from '../../core/error.ts';
import { optional } from '../../core/collections.ts';
import type { Asked } from './asked.ts';
import * as failures from './failures.ts';
import { readFault, type Fault } from './fault.ts';
import { networkFailure } from './network-failure.ts';
import { retryAfterMs } from './retry-after.ts';

/** Any failure of a provider or of the way to it, as one clear sentence; `details.passing` says whether asking again may help. */
export function toErrorData(thrown: unknown, asked: Asked): ErrorData {
  if (isAgentError(thrown)) return toOwnErrorData(thrown);
  const fault = readFault(thrown);
  return describe(failureOf(fault), fault, asked);
}

/** An answer without an end. */
export function cutOff(asked: Asked): ErrorData {
  return describe(failures.answerCut, readFault(undefined), asked);
}

/** An answer that its provider ended as failed, with a word at most. */
export function endedAsFailed(word: string | undefined, asked: Asked): ErrorData {
  return describe(failures.answerFailed, readFault(word), asked);
}

function describe(failure: failures.Failure, fault: Fault, asked: Asked): ErrorData {
  // Before it is quoted: of a key that lies where the quotation ends, a part would be left that nobody knows again.
  const sentence = asked.redact(fault.sentence.slice(0, mostRead));
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

const mostRead = 50_000; // characters; far more than is ever quoted

const noCredit = /insufficient_quota|billing_error|credit balance is too low|insufficient credits/i;
const tooLong =
  /context_length_exceeded|exceed_context_size|maximum context length|context (?:window|length|size)|(?:prompt|input) is too long|input token count.{0,40}exceeds|request_too_large/i;
const badKey = /api.?key.{0,12}(?:not valid|invalid|expired)|invalid.?api.?key|loadapikeyerror/i;

/** The order matters: a status says less than the words that come with it. */
function failureOf(fault: Fault): failures.Failure {
  const { status = 0, sentence, marks } = fault;
  const words = `${marks} ${sentence}`;
  const isBadRequest = status < 500 && status !== 429;
  if (status === 402 || noCredit.test(words)) return failures.outOfCredit;
  if (status === 413 || (isBadRequest && tooLong.test(words))) return failures.contextTooLong;
  if (status === 401 || status === 403 || (isBadRequest && badKey.test(words))) return failures.keyRefused;
  if (status === 404 || /nosuchmodelerror|model_not_found/.test(marks)) return failures.modelNotFound;
  if ([429, 503, 529].includes(status) || /overloaded|rate_limit/.test(marks)) return failures.busy;
  if (status === 408 || status === 504 || /timeout|etimedout/.test(marks)) return failures.timedOut;
  if (status >= 500) return failures.providerFailed;
  if (status >= 400 || /unsupportedfunctionality|invalidprompt|invalidargument/.test(marks))
    return failures.requestRefused;
  return networkFailure(fault) ?? failureInAnswer(fault);
}

function failureInAnswer({ sentence, marks }: Fault): failures.Failure {
  if (/without a finish reason/i.test(sentence)) return failures.answerCut;
  if (/typevalidationerror|jsonparseerror|emptyresponsebody/.test(marks)) return failures.unreadable;
  return failures.answerFailed;
}
