import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AgentError } from '../core/error.ts';
import { isWithin } from '../files/paths.ts';
import { standingOf } from '../files/standing.ts';

/** Throws `usage.bad-settings` for a file that links lead out of a project: whoever made the project may be a stranger. */
export function mustStayIn(project: string, file: string): void {
  const root = standingOf(project);
  if (root.missing.length > 0 || isWithin(standingOf(file).real, root.real)) return;
  throw new AgentError('usage.bad-settings', `${file} is a link that leads out of the project.`, {
    hint: 'Remove the link, or name another place in your own settings.',
  });
}

/** Throws `usage.bad-settings` where the `.skilled` of a project is a link: what it leads to is not protected. */
export function mustNotBeLink(folder: string): void {
  if (!isLink(folder)) return;
  throw new AgentError('usage.bad-settings', `${folder} is a link, so nothing in it is used.`, {
    hint: 'Replace the link by a folder.',
  });
}

/** The files that SQLite uses beside a database. */
export const besideDatabase = ['-wal', '-shm', '-journal'] as const;

/**
 * Throws `usage.bad-settings` where the `.skilled` folder of a database, the database or a file beside it is a link, also
 * one that leads nowhere: the project may come from a stranger, and SQLite would create and change the file behind it.
 */
export function refuseLinks(path: string): void {
  const folder = dirname(path);
  const own = basename(folder) === '.skilled' ? [folder] : [];
  const link = [...own, path, ...besideDatabase.map((end) => `${path}${end}`)].find(isLink);
  if (link === undefined) return;
  throw new AgentError('usage.bad-settings', `${link} is a link, and skilled does not write through it.`, {
    hint: `Remove the link (\`rm ${quotedPath(link)}\`), or name another file: SKILLED_STORE for runs, SKILLED_DATABASE for records.`,
  });
}

/** A path as one word of a shell, whatever characters it has. */
export function quotedPath(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Whether a path itself is a link, wherever it leads. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // it is not there, or opening it says why
  }
}
