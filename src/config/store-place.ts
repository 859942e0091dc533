import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectFolder } from './project-folder.ts';
import { homeFolder } from './user-folders.ts';

/** Where the command line keeps runs. */
export interface StorePlace {
  /** The path of a file, or an address; an address may hold a password. */
  readonly where: string;
  readonly isAddress: boolean;
  /** The project's own folder, in which the file lies; absent when `SKILLED_STORE` names another place. */
  readonly folder?: string;
}

/** `SKILLED_STORE`, else the database of the nearest project upwards, else of this folder. */
export function storePlace(
  cwd: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): StorePlace {
  const named = environment['SKILLED_STORE'] ?? '';
  if (/^postgres(?:ql)?:/.test(named)) return { where: named, isAddress: true };
  if (named !== '') return { where: resolve(cwd, named), isAddress: false };
  const project = projectFolder(cwd, homeFolder(environment), (dir) => isFolder(join(dir, '.skilled')));
  const folder = join(project, '.skilled');
  return { where: join(folder, 'skilled.db'), isAddress: false, folder };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be used either
  }
}
