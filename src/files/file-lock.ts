import { existsSync, lstatSync, rmSync } from 'node:fs';

/**
 * Acquires the lock that a file in an existing folder stands for. Returns undefined if another process or
 * another call in this process holds it. The operating system releases the lock when its process ends. Only
 * SQLite may open the file: if this process opened and closed it in any other way, the lock would be released.
 */
export function tryFileLock(file: string): Disposable | undefined {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite'); // Loaded on first use, because it is slow.
  const stats = lstatSync(file, { throwIfNoEntry: false });
  // Remove a link, because its target could be any file. Also remove a file with content, because SQLite
  // might replay a transaction from it on files that its author chose.
  if (stats !== undefined && !(stats.isFile() && stats.size === 0))
    rmSync(file, { recursive: true, force: true });
  const held = new DatabaseSync(file, { timeout: 0 });
  try {
    held.exec('BEGIN EXCLUSIVE');
    if (existsSync(file)) return held;
  } catch (thrown) {
    held.close();
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (typeof errcode !== 'number') throw thrown;
    if ((errcode & 0xff) === notADatabase)
      rmSync(file, { force: true }); // The file is not a database and cannot be locked.
    else if ((errcode & 0xff) !== busy) throw thrown;
    return undefined;
  }
  held.close(); // The folder was removed in the meantime, so this lock would not lock out other processes.
  return undefined;
}

const busy = 5; // SQLite's error code `SQLITE_BUSY`.
const notADatabase = 26; // SQLite's error code `SQLITE_NOTADB`.
