import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnFolders } from '../../config/paths.ts';
import type { Repair } from '../repair.ts';

/**
 * The folder of the user's own settings and the settings in it, where others may write to them. The trust file is not
 * among them: once it is closed, what others wrote into it would be believed, so a person looks at it first.
 */
export function permissionRepairs({ user }: OwnFolders): readonly Repair[] {
  if (user === undefined || process.getuid === undefined) return []; // modes say nothing about others there
  return [user, join(user, 'settings.json')].flatMap((path): readonly Repair[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.getuid?.();
    if (!isOurs || (stats.mode & 0o022) === 0) return [];
    const mode = stats.mode & 0o755;
    return [
      {
        id: 'permissions',
        what: `${path} can be written by other users`,
        done: `${path} can be written by you only`,
        mend: () => chmodSync(path, mode),
      },
    ];
  });
}
