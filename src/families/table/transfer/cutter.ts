import { AgentError } from '../../../core/index.ts';

/**
 * Receives the text of a value in a file and the number of the value's first line. Reading stops if this
 * function throws.
 */
export type TakeText = (text: string, line: number) => void;

/** A parser that receives text in chunks. */
export interface Cutter {
  push(piece: string): void;
  /** Ends the input after the last chunk. */
  end(): void;
}

/** The maximum number of characters in one value. */
export const longestText = 4_000_000;

/** Returns the error for text that is not JSON. */
export function notJson(shown: string, line: number): AgentError {
  return new AgentError('usage.bad-input', `Line ${line} of "${shown}" is not valid JSON.`, {
    hint: 'A file must contain a list of objects, or one object on each line.',
    details: { line },
  });
}

/** Returns the error for a value that is too long. */
export function tooLong(shown: string, line: number): AgentError {
  const most = longestText.toLocaleString('en');
  return new AgentError(
    'limit.too-large',
    `The record on line ${line} of "${shown}" has more than ${most} characters.`,
    {
      hint: 'Check that line for an unclosed quote or bracket.',
    },
  );
}
