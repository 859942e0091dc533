// Do not use static imports here, so that an old Node version fails the version check with a clear message
// rather than with an error about newer syntax.
await import('../core/node-version.ts');
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  if (args[0] !== 'demo') useCompileCache(); // `demo` promises to write nothing.
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(args);
}

// Does not use `ownPackage`, because its module is in one chunk with the rest of the program.
function readVersion(): string {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/**
 * Makes Node keep the compiled code of this program for the next start, one folder per version. Node checks
 * the entries against the sources and their own checksums, but believes who wrote them, so the folder must
 * belong to this user alone. Node's default, a folder in the shared temporary folder, may not. Never throws.
 */
function useCompileCache(): void {
  const { HOME = '', XDG_CACHE_HOME = '', NODE_COMPILE_CACHE } = process.env;
  const { dirname, isAbsolute, join } = process.getBuiltinModule('node:path');
  const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) ? join(HOME, '.cache') : '';
  if (cache === '' || NODE_COMPILE_CACHE !== undefined) return;
  const folder = join(cache, 'skilled', 'compiled', readVersion());
  try {
    const { mkdirSync, lstatSync } = process.getBuiltinModule('node:fs');
    const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (created !== undefined) removeOldVersions(dirname(folder));
    const isOurs = (path: string): boolean => {
      const stats = lstatSync(path);
      return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
    };
    if (process.getuid !== undefined && ![dirname(folder), folder].every(isOurs)) return;
    process.getBuiltinModule('node:module').enableCompileCache(folder);
  } catch {
    // The folder cannot be created: start without it.
  }
}

/** Removes the compiled code of versions that were last started for the first time 90 days ago. */
function removeOldVersions(folder: string): void {
  const { readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const isOld = (name: string): boolean =>
    Date.now() - statSync(join(folder, name)).mtimeMs > 90 * 86_400_000;
  for (const name of readdirSync(folder).filter(isOld))
    rmSync(join(folder, name), { recursive: true, force: true });
}
