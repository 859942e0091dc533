import { AgentError } from '../../../core/index.ts';

/** Takes the text of one value of a file, and the line on which it begins; what it throws ends the reading. */
export type TakeText = (text: string, line: number) => void;

/** Something that is given a text piece by piece. */
export interface Cutter {
  push(piece: string): void;
  /** After the last piece. */
  end(): void;
}

/** Characters of one value at most. */
export const longestText = 4_000_000;

/** What is said of text that is no JSON. */
export function notJson(shown: string, line: number): AgentError {
  return new AgentError('usage.bad-input', `Line ${line} of "${shown}" is no JSON.`, {
    hint: 'A file holds a list of objects, or one object in each line.',
    details: { line },
  });
}

/** What is said of a value that goes on and on. */
export function tooLong(shown: string, line: number): AgentError {
  const most = longestText.toLocaleString('en');
  return new AgentError(
    'limit.too-large',
    `The record on line ${line} of "${shown}" has more than ${most} characters.`,
    {
      hint: 'Perhaps a quote or a bracket is not closed: look at that line.',
    },
  );
}
