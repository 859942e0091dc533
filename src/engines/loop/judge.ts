import { asText, hashOf, type Json, type Scope } from '../../core/index.ts';
import type { Background } from './background.ts';
import type { MadeCall } from './calls.ts';
import type { LoopConversation } from './conversation.ts';
import { loopError, type LoopEnding } from './end.ts';
import type { Hooks } from './hooks.ts';
import { askForSubmit, type Submission } from './submit.ts';

/** The parts of a loop that have a say in whether it ends. */
interface LoopParts {
  readonly conversation: LoopConversation;
  readonly submission: Submission | undefined;
  readonly hooks: Hooks;
  readonly background: Background;
  readonly maxErrors: number;
  readonly signal: AbortSignal;
}

/** A step that the model has made. */
interface LoopStep {
  /** What the model said. */
  readonly text: string;
  /** Of what hooks are asked at its end. */
  readonly key: string;
  /** No step comes behind it. */
  readonly isLast: boolean;
}

/** Says whether a loop ends, and how; undefined lets it go on, with a message to the model where one is due. */
interface Judge {
  onNothing(): LoopEnding | undefined;
  onAnswer(step: LoopStep): Promise<LoopEnding | undefined>;
  onCalls(made: readonly MadeCall[], step: LoopStep): Promise<LoopEnding | undefined>;
}

const mostFaults = 2; // submissions that may be repaired
const mostObjections = 3; // in a row

/** Counts what a loop may do a few times only. */
export function createJudge(scope: Scope, parts: LoopParts): Judge {
  const { conversation, submission, hooks, background, maxErrors, signal } = parts;
  const repetition = createRepetition();
  let isNudged = false;
  let errors = 0;
  let faults = 0;
  let objections = 0;

  /** Whether a hook makes the model go on. */
  const isHeldBack = async (text: string, { key, isLast }: LoopStep): Promise<boolean> => {
    const objection = await hooks.stop(text, key);
    if (objection === undefined) return false;
    if (isLast || objections >= mostObjections) {
      scope.note(`A hook was not heard any more at the end: ${objection}`);
      return false;
    }
    objections += 1;
    conversation.add({ role: 'user', text: objection });
    return true;
  };

  const onTaken = async (value: Json, step: LoopStep): Promise<LoopEnding | undefined> => {
    const inWords = asText(value);
    if (!(await isHeldBack(inWords, step))) {
      return { reason: 'answered', value, said: step.text.trim() === '' ? inWords : step.text };
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

    async onCalls(made, step) {
      isNudged = false;
      const submitted = made.filter(({ call }) => call.name === submission?.tool.name);
      if (submitted.length < made.length) objections = 0;
      if (submission?.taken !== undefined) return onTaken(submission.taken.value, step);
      if (made.length === 0) return undefined;
      if (isAborted(signal)) return { reason: 'interrupted' };
      const fault = submitted.findLast(({ output }) => output.status === 'failed');
      if (fault !== undefined && (faults += 1) > mostFaults) {
        return { reason: 'failed', error: loopError.submissions(fault.output.text) };
      }
      if (repetition.isStuck(made)) return { reason: 'loop', error: loopError.loop };
      errors = made.every(({ output }) => output.status === 'failed') ? errors + 1 : 0;
      return errors < maxErrors ? undefined : { reason: 'error-limit', error: loopError.errors(maxErrors) };
    },
  };
}

/** Asked anew each time: it changes while others work. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const most = 3;

/** Notices that a loop goes round in circles. */
interface Repetition {
  /** Takes the calls of one step; true when one of them came to the same for the third time with nothing new since. */
  isStuck(made: readonly MadeCall[]): boolean;
}

/** A repetition is the same call with the same result; a step that brings anything new starts the count again. */
export function createRepetition(): Repetition {
  const ever = new Set<string>();
  const counts = new Map<string, number>();
  return {
    isStuck(made) {
      const step = new Set(made.map(signatureOf));
      if ([...step].some((one) => !ever.has(one))) counts.clear();
      for (const one of step) {
        ever.add(one);
        counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      return [...step].some((one) => (counts.get(one) ?? 0) >= most);
    },
  };
}

function signatureOf({ call, output }: MadeCall): string {
  const value = output.status === 'done' ? (output.value ?? null) : output.error.code;
  return hashOf([call.name, call.input, output.status, output.text, value]);
}
