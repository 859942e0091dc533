import { hashOf } from '../../core/json/normalize.ts';
import type { MadeCall } from './calls.ts';

const most = 3;

/** Notices that a loop goes round in circles. */
export interface Repetition {
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
