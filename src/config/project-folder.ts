import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The nearest folder upwards that is one, within the repository and below home; else the start folder itself. Folders
 * of other users, and those in which anybody may write, are not asked: what lies there may be from anybody.
 */
export function projectFolder(
  start: string,
  home: string | undefined,
  isOne: (dir: string) => boolean,
): string {
  const owner = ownerOf(start);
  for (let dir = start; dir !== home; dir = dirname(dir)) {
    if (dir !== start && (owner === undefined || ownerOf(dir) !== owner)) return start;
    if (isOne(dir)) return dir;
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) return start;
  }
  return start;
}

/** Undefined for a folder of everybody, and for none. */
function ownerOf(dir: string): number | undefined {
  if (process.platform === 'win32') return 0; // its modes say nothing about others
  const stats = statSync(dir, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & 0o002) !== 0 ? undefined : stats.uid;
}
