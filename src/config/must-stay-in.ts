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
