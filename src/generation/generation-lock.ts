import { existsSync, lstatSync, rmSync } from 'node:fs';
import type { GenerationPlace } from './generation-place.ts';

/**
 * The lock on a place that is there, or undefined while somebody has it; it ends with whoever holds it, however that
 * one ends. The file is opened by SQLite only: closing it in any other way would end the locks of this process.
 */
export async function tryLock({ lock }: GenerationPlace): Promise<Disposable | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  // A link could lead anywhere; what somebody filled could have SQLite finish a transaction on files of their choice.
  if (stats !== undefined && !(stats.isFile() && stats.size === 0))
    rmSync(lock, { recursive: true, force: true });
  const held = new DatabaseSync(lock, { timeout: 0 });
  try {
    held.exec('BEGIN EXCLUSIVE');
    if (existsSync(lock)) return held;
  } catch (thrown) {
    held.close();
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (typeof errcode !== 'number') throw thrown;
    if ((errcode & 0xff) === notADatabase)
      rmSync(lock, { force: true }); // nobody can hold it
    else if ((errcode & 0xff) !== busy) throw thrown;
    return undefined;
  }
  held.close(); // somebody removed the folder meanwhile, so that it locks out nobody
  return undefined;
}

const busy = 5; // SQLITE_BUSY
const notADatabase = 26; // SQLITE_NOTADB
