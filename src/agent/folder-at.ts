import { join } from 'node:path';

/** A folder that a setting names, where `~/` stands for the user's home. */
export function folderAt(folder: string, home: string | undefined): string {
  return home !== undefined && folder.startsWith('~/') ? join(home, folder.slice(2)) : folder;
}
