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
import type { LoopResults } from './references.ts';

/** The reason why a loop ended. A loop that is waiting for human input has not ended. */
export type LoopReason =
  'answered' | 'interrupted' | 'step-limit' | 'error-limit' | 'loop' | 'budget' | 'failed';

/** The result of a loop. */
export interface LoopEnd {
  readonly reason: LoopReason;
  /** The model's answer, or its last text if it gave no answer. */
  readonly text: string;
  /** The value that the model submitted. */
  readonly value?: Json;
  /** The error that ended the loop. Absent if the model answered. */
  readonly error?: ErrorData;
  /** The complete conversation, which can be continued. */
  readonly messages: readonly Message[];
  /** All results so far, keyed by the names that references use. */
  readonly results: LoopResults;
  /** The number of results that each tool has given, including those of earlier loops. */
  readonly counts: Readonly<Record<string, number>>;
  /** The number of model steps. */
  readonly steps: number;
}

const moreSteps =
  'Allow more steps with `--max-steps`, or with `maxTicks` in the skill or call, or make the request smaller.';

/** The errors with which a loop itself can end. */
export const loopError = {
  empty: {
    code: 'model.bad-answer',
    message: 'The model returned an empty answer twice.',
    hint: 'Try another model for this tier.',
  },
  loop: {
    code: 'limit.loop',
    message: 'The model made the same call with the same result three times, with nothing new in between.',
    hint: 'Make the request more specific, or try a stronger model.',
  },
  interrupted: { code: 'usage.cancelled', message: 'The loop was cancelled.' },
  steps: (most: number): ErrorData => ({
    code: 'limit.steps',
    message: `The model did not answer within ${most} steps.`,
    hint: moreSteps,
  }),
  errors: (most: number): ErrorData => ({
    code: 'limit.errors',
    message: `Every call failed in ${most} consecutive steps.`,
    hint: 'Inspect the failed calls: `skilled trace last`',
  }),
  submissions: (fault: string): ErrorData => ({
    code: 'model.bad-answer',
    message: `The model submitted no valid result in three attempts. Last error: ${fault}`,
    hint: 'Try another model for this tier, or simplify the schema.',
  }),
  noResult: (skill: string, most: number): ErrorData => ({
    code: 'skill.no-result',
    message: `"${skill}" submitted no result within ${most} ${most === 1 ? 'step' : 'steps'}.`,
    hint: moreSteps,
  }),
  stopped: (reason: StopReason): ErrorData =>
    reason === 'length'
      ? {
          code: 'model.length',
          message: 'The answer exceeded the maximum output length of the model and was cut off.',
        }
      : { code: 'model.refused', message: 'The model refused to answer.' },
} as const satisfies Record<string, ErrorData | ((...given: never[]) => ErrorData)>;

/** The reason why a loop ends, with the resulting error or value. */
export interface LoopEnding extends Pick<LoopEnd, 'reason' | 'error' | 'value'> {
  /** The model's last text, if it is not in the conversation. */
  readonly said?: string;
}

/** Builds the result of a loop from its conversation and its ending. */
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
    counts: conversation.counts,
    steps,
  };
}

/** Returns the reason why a model's reply ends the loop, with the text so far. */
export function stoppedBy(reply: ModelReply, signal: AbortSignal): LoopEnding {
  const said = optional('said', reply.text === '' ? undefined : reply.text);
  if (reply.reason === 'aborted' || signal.aborted) return { reason: 'interrupted', ...said };
  const error: ErrorData = reply.error ?? loopError.stopped(reply.reason);
  if (error.code === 'limit.steps') return { reason: 'step-limit', error, ...said };
  if (error.code === 'limit.tokens' || error.code === 'limit.money')
    return { reason: 'budget', error, ...said };
  return { reason: 'failed', error, ...said };
}

/**
 * Returns the output of a skill that runs as a loop. If the loop failed, the error's details contain the
 * model's last text.
 */
export function loopOutput({ reason, text, value, error }: LoopEnd): Output {
  if (error === undefined) return { status: 'done', text, ...optional('value', value) };
  const before = isJsonObject(error.details) ? error.details : {};
  const details = { ...before, stopped: reason, ...(text === '' ? {} : { said: text }) };
  return { status: 'failed', text: error.message, error: { ...error, details } };
}
