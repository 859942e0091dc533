import type { RunEvent, RunResult } from '../../core/index.ts';

/** Collects the text of a run's answer from its events. */
export interface AnswerText {
  /** Returns the text that an event adds to the answer. Usually empty. */
  add(event: RunEvent): string;
  /** Returns the text of the result that no event has added, once the run has ended or waits. */
  end(result: RunResult): string;
}

const gap = '\n\n'; // Separates the texts of different model steps.

/**
 * Creates a collector for the text of a run's outermost skill, as its model writes it. If the skill has no
 * model, the text arrives at once, at the end. An earlier attempt of a request cannot be taken back: if the
 * next attempt differs, its text follows.
 */
export function createAnswerText(): AnswerText {
  let root: string | undefined;
  let isFirst = true;
  let step: Step | undefined;
  let last = '';

  const write = (text: string): string => {
    if (text === '') return '';
    const isNew = step === undefined || step.sent === '';
    const lead = isNew && !isFirst ? gap : '';
    isFirst = false;
    if (step !== undefined) step.sent += text;
    return lead + text;
  };

  return {
    add(event) {
      if (event.type === 'frame.started' && event.parent === '') root ??= event.frameId;
      if (event.frameId !== root || (event.type !== 'model.delta' && event.type !== 'model.ended')) return '';
      if (step?.key !== event.key) step = { key: event.key, attempt: 1, text: '', sent: '' };
      if (event.type === 'model.delta') {
        if (event.attempt !== step.attempt) Object.assign(step, { attempt: event.attempt, text: '' });
        step.text += event.text;
        return write(unsent(step, step.text));
      }
      const { text } = event.reply;
      const rest = write(unsent(step, text));
      if (text !== '') last = text;
      step = undefined;
      return rest;
    },
    end({ status, text, question }) {
      step = undefined;
      if (status === 'done') return last.trim() === text.trim() ? '' : write(text);
      return question?.kind === 'input' ? write(question.text) : '';
    },
  };
}

/** One request to the model. */
interface Step {
  readonly key: string;
  attempt: number;
  /** The text of the current attempt. */
  text: string;
  /** The text that has been sent for this step. */
  sent: string;
}

/** Returns the part of a text that has not been sent yet. */
function unsent({ sent }: Step, text: string): string {
  if (text.startsWith(sent)) return text.slice(sent.length);
  return sent.startsWith(text) ? '' : gap + text;
}
