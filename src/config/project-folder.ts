import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder upwards that is one, within the repository and below home; else the start folder itself. */
export function projectFolder(
  start: string,
  home: string | undefined,
  isOne: (dir: string) => boolean,
): string {
  for (let dir = start; dir !== home; dir = dirname(dir)) {
    if (isOne(dir)) return dir;
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) return start;
  }
  return start;
}
