import type { ErrorCode } from '../../core/error.ts';
import type { Asked } from './asked.ts';
import type { Fault } from './fault.ts';
import { quote } from './quote.ts';

/** What a kind of failure says, and whether the same request may succeed later. */
export interface Told {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly passing: boolean;
}

/** Tells one kind of failure. Pure. */
export type Failure = (fault: Fault, asked: Asked) => Told;

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

function keyOf({ key }: Asked): string {
  if (key === undefined) return 'the key';
  return `the key in ${key.variable}${key.from === '.env' ? ' of the file .env' : ''}`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}
