import type { RunHandle } from '../../core/index.ts';
import { createAnswerText } from './answer-text.ts';

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
