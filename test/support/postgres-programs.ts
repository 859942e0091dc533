import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the folder of the PostgreSQL programs: the one on PATH, or else Debian's newest version. */
export function findPostgres(): string | undefined {
  const newest = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a));
  return [...(process.env['PATH'] ?? '').split(delimiter), ...newest].find((folder) => {
    return isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres'));
  });
}

function versionOf(folder: string): number {
  return Number(/\d+/.exec(folder)?.[0] ?? 0);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
