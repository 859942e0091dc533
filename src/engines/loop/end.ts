import {
  isJsonObject,
  optional,
  type ErrorData,
  type Json,
  type Message,
  type ModelReply,
  type Output,
  type StopReason,
} from '../../core/index.ts';
import type { LoopConversation } from './conversation.ts';
import type { Results } from './references.ts';

/** Why a loop came to its end; a loop that waits for a person has not. */
export type LoopReason =
  'answered' | 'interrupted' | 'step-limit' | 'error-limit' | 'loop' | 'budget' | 'failed';

/** What a loop came to. */
export interface LoopEnd {
  readonly reason: LoopReason;
  /** The answer, or what the model said last. */
  readonly text: string;
  /** What was submitted. */
  readonly value?: Json;
  /** Present unless it answered. */
  readonly error?: ErrorData;
  /** The whole conversation, ready to go on from. */
  readonly messages: readonly Message[];
  /** All results so far, by the name under which they may be referred to. */
  readonly results: Results;
  /** How often the model was asked. */
  readonly steps: number;
}

/** The errors that a loop makes itself. */
export const loopError = {
  empty: {
    code: 'model.bad-answer',
    message: 'The model answered nothing, twice.',
    hint: 'Try another model for this tier.',
  },
  loop: {
    code: 'limit.loop',
    message:
      'The model made the same call with the same result three times, and learned nothing new in between.',
    hint: 'Say more exactly what is wanted, or try a stronger model.',
  },
  interrupted: { code: 'usage.cancelled', message: 'The loop was called off.' },
  steps: (most: number): ErrorData => ({
    code: 'limit.steps',
    message: `The model did not come to an answer in ${most} steps.`,
    hint: 'Allow more steps, or ask for less at once.',
  }),
  errors: (most: number): ErrorData => ({
    code: 'limit.errors',
    message: `In ${most} steps one after another every call failed.`,
    hint: 'Look at the failed calls: `skilled trace last`',
  }),
  submissions: (fault: string): ErrorData => ({
    code: 'model.bad-answer',
    message: `The model submitted no valid result in three tries. The last fault: ${fault}`,
    hint: 'Try another model for this tier, or make the schema simpler.',
  }),
  noResult: (skill: string, most: number): ErrorData => ({
    code: 'skill.no-result',
    message: `"${skill}" submitted no result in ${most} ${most === 1 ? 'step' : 'steps'}.`,
    hint: 'Allow more steps, or ask for less at once.',
  }),
  stopped: (reason: StopReason): ErrorData =>
    reason === 'length'
      ? { code: 'model.length', message: 'The answer was cut at the longest length that the model allows.' }
      : { code: 'model.refused', message: 'The model refused to answer.' },
} as const satisfies Record<string, ErrorData | ((...given: never[]) => ErrorData)>;

/** How a loop ends. */
export interface LoopEnding extends Pick<LoopEnd, 'reason' | 'error' | 'value'> {
  /** What was said that is not in the conversation. */
  readonly said?: string;
}

/** The end of a loop, with all that it leaves. */
export function endFor(conversation: LoopConversation, steps: number, how: LoopEnding): LoopEnd {
  const { reason, said } = how;
  const error = how.error ?? (reason === 'interrupted' ? loopError.interrupted : undefined);
  return {
    reason,
    text: said ?? conversation.lastSaid,
    ...optional('value', how.value),
    ...optional('error', error),
    messages: conversation.messages,
    results: conversation.results,
    steps,
  };
}

/** Why a reply ends the loop; what it had said so far is told as well. */
export function stoppedBy(reply: ModelReply, signal: AbortSignal): LoopEnding {
  const said = optional('said', reply.text === '' ? undefined : reply.text);
  if (reply.reason === 'aborted' || signal.aborted) return { reason: 'interrupted', ...said };
  const error: ErrorData = reply.error ?? loopError.stopped(reply.reason);
  if (error.code === 'limit.steps') return { reason: 'step-limit', error, ...said };
  if (error.code === 'limit.tokens' || error.code === 'limit.money')
    return { reason: 'budget', error, ...said };
  return { reason: 'failed', error, ...said };
}

/** What a skill gives back whose work was a loop; what the model had said so far stands in the details of a failure. */
export function loopOutput({ reason, text, value, error }: LoopEnd): Output {
  if (error === undefined) return { status: 'done', text, ...optional('value', value) };
  const before = isJsonObject(error.details) ? error.details : {};
  const details = { ...before, stopped: reason, ...(text === '' ? {} : { said: text }) };
  return { status: 'failed', text: error.message, error: { ...error, details } };
}
