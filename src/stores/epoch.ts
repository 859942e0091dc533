import { randomBytes } from 'node:crypto';
import { AgentError } from '../core/error.ts';
import type { Epoch } from '../core/store.ts';

/** A new right to write, which nobody had before, not even to a run of this id that was removed. */
export function newEpoch(): Epoch {
  return randomBytes(16).toString('hex');
}

/** What a writer gets whose right does not hold any more. */
export function overtakenError(runId: string): AgentError {
  return new AgentError('internal.overtaken', `Somebody else works on run ${runId} now, or it was removed.`, {
    hint: 'Stop working on it: nothing of this was written.',
  });
}
