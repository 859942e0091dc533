import { homedir } from 'node:os';
import { createFolderReader, type FolderReader } from './folder-reader.ts';
import { searchPrograms, type ProgramFolders, type ProgramVariables } from './program-search.ts';
import { toolchainVariables } from './toolchains.ts';

const nowhere = '/nonexistent';
const ownHome = findOwnHome();

function findOwnHome(): string {
  try {
    return homedir();
  } catch {
    return nowhere; // This user has no home folder.
  }
}

interface Known {
  readonly folders: ProgramFolders;
  readonly reader: FolderReader;
  checkedAt: number;
}

const known = new Map<string, Known>();
const maxKnown = 20;
const restMs = 200; // In milliseconds. Commands within this time share one check for changes.

/**
 * Returns the folders of the programs on a `PATH`, with the parts of toolchains that they need. Never returns a
 * home folder or a folder that contains one. Searches again only if one of the folders has changed.
 */
export function findProgramFolders(
  environment: Readonly<Record<string, string>>,
  host: ProgramVariables['host'] = {},
): ProgramFolders {
  const { PATH: path = '', HOME: written = ownHome } = environment;
  const home = written === '/' ? nowhere : written;
  const key = JSON.stringify([path, home, toolchainVariables.map((name) => host[name] ?? '')]);
  const found = known.get(key);
  const now = performance.now();
  if (found !== undefined && (now - found.checkedAt < restMs || found.reader.isCurrent())) {
    if (now - found.checkedAt >= restMs) found.checkedAt = now;
    return found.folders;
  }
  const reader = createFolderReader();
  const folders = searchPrograms({ path, home, ownHome, host }, reader);
  if (known.size >= maxKnown) known.clear();
  known.set(key, { folders, reader, checkedAt: now });
  return folders;
}
