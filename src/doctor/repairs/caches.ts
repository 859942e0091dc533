import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnFolders } from '../../config/paths.ts';
import { isDamagedCache } from '../../skills/cache/cache-file.ts';
import type { Repair } from '../repair.ts';
import { namesIn } from './names-in.ts';

/** Kept knowledge that can never be read again; the next start makes it anew. */
export function cacheRepairs({ cache }: OwnFolders): readonly Repair[] {
  if (cache === undefined) return [];
  return namesIn(cache)
    .filter((name) => /^skills-[0-9a-f]{16}\.json$/.test(name))
    .map((name) => join(cache, name))
    .filter(isDamagedCache)
    .map((file) => ({
      id: 'cache',
      what: `${file} is damaged, so starts are slower`,
      done: `${file} removed; the next start makes it anew`,
      mend: () => rmSync(file, { force: true }),
    }));
}
