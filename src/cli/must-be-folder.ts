import { statSync } from 'node:fs';
import { AgentError, reasonOf } from '../core/error.ts';

/** Throws `usage.not-found` for what a flag calls a folder and is none. */
export function mustBeFolder(path: string, flag: string): void {
  const fault = folderFault(path);
  if (fault !== undefined) throw new AgentError('usage.not-found', fault, { hint: `Check ${flag}.` });
}

function folderFault(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return `There is no folder ${path}.`;
    return stats.isDirectory() ? undefined : `${path} is not a folder.`;
  } catch (thrown) {
    return `The folder ${path} cannot be read: ${reasonOf(thrown)}.`;
  }
}
