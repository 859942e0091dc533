import type { ErrorData } from '../core/error.ts';

/** A generation that came to nothing. */
export interface GenerationFailure {
  /** What it was tried with: it is not tried again by itself until that changes. */
  readonly inputs: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly runId: string;
  readonly error: ErrorData;
}

/** The failure that is remembered for a skill, if any. Never throws. */
export function readFailure(_dir: string): GenerationFailure | undefined {
  throw new Error('not yet');
}

/** Remembers a failure until the next success. */
export function writeFailure(_dir: string, _failure: GenerationFailure): void {
  throw new Error('not yet');
}
