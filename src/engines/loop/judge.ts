import { asText, hashOf, type Json, type Scope } from '../../core/index.ts';
import type { Background } from './background.ts';
import type { CompletedCall } from './calls.ts';
import type { LoopConversation } from './conversation.ts';
import { loopError, type LoopEnding } from './end.ts';
import type { Hooks } from './hooks.ts';
import { askForSubmit, type Submission } from './submit.ts';

/** The parts and limits of a loop that its judge needs. */
interface LoopParts {
  readonly conversation: LoopConversation;
  readonly submission: Submission | undefined;
  readonly hooks: Hooks;
  readonly background: Background;
  readonly maxErrors: number;
  readonly signal: AbortSignal;
}

/** A completed model step. */
interface LoopStep {
  /** The model's text. */
  readonly text: string;
  /** The prefix for the keys of the hook calls after the step. */
  readonly key: string;
  /** Whether this is the last step. */
  readonly isLast: boolean;
}

/**
 * Decides whether and how a loop ends. If a method returns undefined, the loop continues, and the judge has
 * added any message that the model needs.
 */
interface Judge {
  onNothing(): LoopEnding | undefined;
  onAnswer(step: LoopStep): Promise<LoopEnding | undefined>;
  onCalls(calls: readonly CompletedCall[], step: LoopStep): Promise<LoopEnding | undefined>;
}

const maxFaults = 2; // The maximum number of invalid submissions that can be corrected.
const maxObjections = 3; // The maximum number of consecutive objections by hooks.

/** Creates a judge, which ends a loop after too many failures, repetitions or objections. */
export function createJudge(scope: Scope, parts: LoopParts): Judge {
  const { conversation, submission, hooks, background, maxErrors, signal } = parts;
  const repetition = createRepetition();
  let isNudged = false;
  let errors = 0;
  let faults = 0;
  let objections = 0;

  /** Calls the stop hooks. Returns true if a hook makes the model continue. */
  const isHeldBack = async (text: string, { key, isLast }: LoopStep): Promise<boolean> => {
    const objection = await hooks.stop(text, key);
    if (objection === undefined) return false;
    if (isLast || objections >= maxObjections) {
      scope.note(`A hook was ignored at the end: ${objection}`);
      return false;
    }
    objections += 1;
    conversation.add({ role: 'user', text: objection });
    return true;
  };

  const onTaken = async (value: Json, step: LoopStep): Promise<LoopEnding | undefined> => {
    const answerText = asText(value);
    if (!(await isHeldBack(answerText, step))) {
      return { reason: 'answered', value, said: step.text.trim() === '' ? answerText : step.text };
    }
    submission?.withdraw();
    return undefined;
  };

  return {
    onNothing() {
      if (isNudged) return { reason: 'failed', error: loopError.empty };
      isNudged = true;
      conversation.add({ role: 'user', text: 'Your answer was empty. Answer, or call a tool.' });
      return undefined;
    },

    async onAnswer(step) {
      isNudged = false;
      const isMore = await background.joinAll(signal);
      if (isAborted(signal)) return { reason: 'interrupted' };
      if (isMore && !step.isLast) return undefined;
      if (submission === undefined) {
        return (await isHeldBack(step.text, step)) ? undefined : { reason: 'answered' };
      }
      if (!step.isLast) conversation.add({ role: 'user', text: askForSubmit });
      return undefined;
    },

    async onCalls(calls, step) {
      isNudged = false;
      const submitted = calls.filter(({ call }) => call.name === submission?.tool.name);
      if (submitted.length < calls.length) objections = 0;
      if (submission?.taken !== undefined) return onTaken(submission.taken.value, step);
      if (calls.length === 0) return undefined;
      if (isAborted(signal)) return { reason: 'interrupted' };
      const fault = submitted.findLast(({ output }) => output.status === 'failed');
      if (fault !== undefined && (faults += 1) > maxFaults) {
        return { reason: 'failed', error: loopError.submissions(fault.output.text) };
      }
      if (repetition.isStuck(calls)) return { reason: 'loop', error: loopError.loop };
      errors = calls.every(({ output }) => output.status === 'failed') ? errors + 1 : 0;
      return errors < maxErrors ? undefined : { reason: 'error-limit', error: loopError.errors(maxErrors) };
    },
  };
}

/**
 * Whether the signal has aborted. A separate function, because TypeScript assumes that a property does not
 * change after it has been checked.
 */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const most = 3;

/** A detector of repetitions in a loop. */
interface Repetition {
  /**
   * Records the calls of a step. Returns true if a call has the same result for the third time and no other
   * call had a new result in between.
   */
  isStuck(calls: readonly CompletedCall[]): boolean;
}

/**
 * Creates a detector of repetitions. A repetition is the same call with the same result. Any new call or
 * result resets the count.
 */
export function createRepetition(): Repetition {
  const ever = new Set<string>();
  const counts = new Map<string, number>();
  return {
    isStuck(calls) {
      const step = new Set(calls.map(signatureOf));
      if ([...step].some((one) => !ever.has(one))) counts.clear();
      for (const one of step) {
        ever.add(one);
        counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      return [...step].some((one) => (counts.get(one) ?? 0) >= most);
    },
  };
}

function signatureOf({ call, output }: CompletedCall): string {
  const value = output.status === 'done' ? (output.value ?? null) : output.error.code;
  return hashOf([call.name, call.input, output.status, output.text, value]);
}
