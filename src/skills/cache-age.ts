import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const day = 86_400_000;
const kept = 30 * day;

/** Removes knowledge that was not written for a month: workspaces come and go, their caches would stay. */
export function removeOldCaches(folder: string, now = Date.now()): void {
  for (const name of readdirSync(folder)) {
    if (!/^skills-[0-9a-f]{16}\.json/.test(name)) continue;
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > kept) rmSync(file, { force: true });
  }
}
