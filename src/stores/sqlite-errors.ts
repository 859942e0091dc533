import { AgentError, isAgentError, reasonOf } from '../core/error.ts';

/** What SQLite means when another process holds the lock. */
export function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5; // SQLITE_BUSY in all its forms
}

function isDamaged(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 11; // SQLITE_CORRUPT in all its forms
}

/** A failure of SQLite as one of ours; what it is about is named as `store /path` or `database /path`. */
export function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  if (isBusy(thrown)) {
    return new AgentError('sandbox.store', `The ${named} was locked by another process for too long.`, {
      hint: 'Find out which process keeps the file open, for example with a viewer for databases, and end it.',
      cause: thrown,
    });
  }
  if (isDamaged(thrown)) {
    return new AgentError('sandbox.store', `The ${named} is damaged: ${reasonOf(thrown)}.`, {
      hint: 'Restore the file from a backup, or move it away, with those beside it, and begin with an empty one.',
      cause: thrown,
    });
  }
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reasonOf(thrown)}.`, {
    hint: 'Check that the file is a database of SQLite, that you may write to it and that the disk is not full.',
    cause: thrown,
  });
}
