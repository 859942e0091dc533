import type { RunEvent, RunHandle, RunResult } from '../../core/index.ts';

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
  const steps = new Map<string, Step>();
  let last = '';

  const write = (step: Step, text: string): string => {
    if (step.sent.startsWith(text)) return ''; // The next attempt repeats what the earlier one wrote.
    const isMore = step.sent !== '' && text.startsWith(step.sent);
    const lead = isMore || isFirst ? '' : gap;
    const rest = isMore ? text.slice(step.sent.length) : text;
    isFirst = false;
    step.sent = text;
    return lead + rest;
  };

  return {
    add(event) {
      if (event.type === 'frame.started' && event.parent === '') root ??= event.frameId;
      if (event.frameId !== root || (event.type !== 'model.delta' && event.type !== 'model.ended')) return '';
      const step = steps.get(event.key) ?? { attempt: 1, text: '', sent: '' };
      if (event.type === 'model.delta') {
        steps.set(event.key, step);
        if (event.attempt !== step.attempt) Object.assign(step, { attempt: event.attempt, text: '' });
        const isWritten = step.sent !== '' && step.text.length === step.sent.length;
        step.text += event.text;
        if (!isWritten) return write(step, step.text);
        step.sent = step.text; // Comparing both for each piece would take too long for a long text.
        return event.text;
      }
      const { text } = event.reply;
      if (text !== '') last = text;
      steps.delete(event.key);
      return write(step, text);
    },
    end({ status, text, question }) {
      const step = { attempt: 1, text: '', sent: '' };
      if (status === 'done') return last.trim() === text.trim() ? '' : write(step, text);
      return question?.kind === 'input' ? write(step, question.text) : '';
    },
  };
}

/** One request to the model. */
interface Step {
  attempt: number;
  /** The text of the current attempt. */
  text: string;
  /** The text that the answer contains for this request, without earlier attempts that differ. */
  sent: string;
}

/** A run in progress whose answer can be read as it is written. */
export interface StreamHandle extends RunHandle {
  /**
   * The text of the answer. Ends when the run ends or waits. A failure ends it as well: `result` contains the
   * error. Can be read more than once, each time from the start.
   */
  readonly textStream: AsyncIterable<string>;
}

/** Adds the stream of its text to a run. */
export function streamed(run: RunHandle): StreamHandle {
  return Object.assign(run, { textStream: { [Symbol.asyncIterator]: () => readText(run) } });
}

/** Yields the text of a run's answer. */
export async function* readText(run: RunHandle): AsyncGenerator<string, void> {
  const answer = createAnswerText();
  for await (const event of run.events) {
    const text = answer.add(event);
    if (text !== '') yield text;
  }
  const rest = answer.end(await run.result);
  if (rest !== '') yield rest;
}
