import type { CallTarget } from '../calls/frame.ts';

/** Values that are created while a process works on a run. */
export interface DerivedValues {
  /** The assistant that was created for the prompt. */
  assistant?: CallTarget | undefined;
  /** A summary for the next turn. */
  summary?: string;
  /** The time when the session's last turn ended, in milliseconds since the Unix epoch. */
  lastTurnAt?: number;
  /** The position of this turn in its session, starting at 1. */
  turnNumber?: number;
}
