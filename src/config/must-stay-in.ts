import { lstatSync } from 'node:fs';
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

/** Whether a path itself is a link, wherever it leads. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // it is not there, or opening it says why
  }
}
