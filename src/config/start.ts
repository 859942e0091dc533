// Imports no other file of this program, because they are what it makes load faster.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * Makes Node keep the compiled code of this program for the next start, one folder per version. Node checks
 * the entries against the sources and their own checksums, but believes who wrote them, so the folder must
 * belong to this user alone. Node's default, a folder in the shared temporary folder, may not. Never throws.
 */
export function useCompileCache(): void {
  const { HOME = '', XDG_CACHE_HOME = '', NODE_COMPILE_CACHE } = process.env;
  const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) ? join(HOME, '.cache') : '';
  if (cache === '' || NODE_COMPILE_CACHE !== undefined) return;
  const folder = join(cache, 'skilled', 'compiled', readVersion());
  try {
    const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (created !== undefined) removeOldVersions(dirname(folder));
    const isOurs = (path: string): boolean => {
      const stats = lstatSync(path);
      return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
    };
    if (process.getuid !== undefined && ![dirname(folder), folder].every(isOurs)) return;
    enableCompileCache(folder);
  } catch {
    // The folder cannot be created: start without it.
  }
}

/** Returns the version of this package. Unlike `ownPackage`, it needs no other file of this program. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Removes the compiled code of versions that were last started for the first time 90 days ago. */
function removeOldVersions(folder: string): void {
  const isOld = (name: string): boolean =>
    Date.now() - statSync(join(folder, name)).mtimeMs > 90 * 86_400_000;
  for (const name of readdirSync(folder).filter(isOld))
    rmSync(join(folder, name), { recursive: true, force: true });
}
