import { AgentError, isAgentError, reasonOf } from '../core/error.ts';

/** What SQLite means when another process holds the lock. */
export function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5; // SQLITE_BUSY in all its forms
}

/** A failure of SQLite as one of ours. */
export function toStoreError(thrown: unknown, path: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  if (isBusy(thrown)) {
    return new AgentError('sandbox.store', `The store ${path} was locked by another process for too long.`, {
      hint: 'Find out which process keeps the file open, for example with a viewer for databases, and end it.',
      cause: thrown,
    });
  }
  return new AgentError('sandbox.store', `The store ${path} cannot be used: ${reasonOf(thrown)}.`, {
    hint: 'Check that the file is a store of skilled, that you may write to it and that the disk is not full.',
    cause: thrown,
  });
}
