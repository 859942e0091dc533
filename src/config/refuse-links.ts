import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AgentError } from '../core/error.ts';

/** The files that SQLite uses beside a database. */
export const besideDatabase = ['-wal', '-shm', '-journal'] as const;

/**
 * Throws `usage.bad-settings` where the `.skilled` folder of a database, the database or a file beside it is a link, also
 * one that leads nowhere: the project may come from a stranger, and SQLite would create and change the file behind it.
 */
export function refuseLinks(path: string): void {
  const folder = dirname(path);
  const own = basename(folder) === '.skilled' ? [folder] : [];
  const links = [...own, path, ...besideDatabase.map((end) => `${path}${end}`)];
  const link = links.find((one) => lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  if (link === undefined) return;
  throw new AgentError('usage.bad-settings', `${link} is a link, and skilled does not write through it.`, {
    hint: `Remove the link (\`rm '${link}'\`), or name another file: SKILLED_STORE for runs, SKILLED_DATABASE for records.`,
  });
}
