import type { OwnFolders } from '../config/paths.ts';
import type { Repair } from './repair.ts';
import { cacheRepairs } from './repairs/caches.ts';
import { generationRepairs } from './repairs/generations.ts';
import { ignoreRepairs } from './repairs/ignore-lines.ts';
import { leftoverRepairs } from './repairs/leftovers.ts';
import { permissionRepairs } from './repairs/permissions.ts';

/** What can be put right in our own folders, and beside the folders of these skills. Looks only, and never throws. */
export function findRepairs(
  folders: OwnFolders,
  skills: readonly { readonly dir: string }[],
  now = Date.now(),
): readonly Repair[] {
  return [
    ...ignoreRepairs(folders),
    ...permissionRepairs(folders),
    ...leftoverRepairs(folders, now),
    ...cacheRepairs(folders),
    ...generationRepairs(skills, now),
  ];
}
