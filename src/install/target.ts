import { join } from 'node:path';
import { lockName } from './lock-file.ts';

/** The folders in which skills are installed, in a project or for a user. */
export interface InstallTarget {
  /** The folder that contains `.agents`. */
  readonly base: string;
  /** The folder of the installed skills. */
  readonly skills: string;
  /** The lock, which lists the installed skills. */
  readonly lockFile: string;
  /** A private folder beside the skills, so that they can be moved by renaming. */
  readonly state: string;
  readonly isUser: boolean;
}

/** Returns the target in a project, or in the user's home folder. Creates nothing. */
export function installTarget(base: string, { isUser = false } = {}): InstallTarget {
  const agents = join(base, '.agents');
  return {
    base,
    skills: join(agents, 'skills'),
    lockFile: join(isUser ? agents : base, lockName),
    state: join(agents, '.skilled-install'),
    isUser,
  };
}
