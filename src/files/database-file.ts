import { closeSync, constants, openSync, readSync } from 'node:fs';
import { AgentError } from '../core/error.ts';

/** Throws for a file of SQLite and for those beside it: records are changed through their tables, and by no text. */
export function checkNoDatabase(path: string, shown: string): void {
  if (!isDatabase(path) && !isDatabase(path.replace(/-(?:wal|shm|journal)$/i, ''))) return;
  throw new AgentError('policy.denied', `"${shown}" belongs to a database, which is not written as a file.`, {
    hint: 'Change records through the skill of their table.',
  });
}

const mark = 'SQLite format 3\0';

function isDatabase(path: string): boolean {
  try {
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(mark.length);
      return readSync(handle, head) === mark.length && head.toString('latin1') === mark;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false; // what is not there, or cannot be read, is no database of ours
  }
}
