import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
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

/** `SKILLED_STORE`, else the database of the nearest project upwards, else of this folder; throws where nothing can be kept. */
export function storePlace(
  cwd: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): StorePlace {
  const named = environment['SKILLED_STORE'] ?? '';
  if (isStoreAddress(named)) return { where: named, isAddress: true };
  if (named !== '') return { where: mustLieInFolder(resolve(cwd, named)), isAddress: false };
  const project = projectFolder(cwd, homeFolder(environment), (dir) => isFolder(join(dir, '.skilled')));
  const folder = join(project, '.skilled');
  return { where: join(folder, 'skilled.db'), isAddress: false, folder };
}

/** Whether a store is named by an address instead of a path; throws `usage.bad-settings` for one that no store here has. */
export function isStoreAddress(where: string): boolean {
  if (/^postgres(?:ql)?:/.test(where)) return true;
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(where)?.[1];
  if (scheme === undefined) return false;
  throw new AgentError('usage.bad-settings', `Runs cannot be kept at a ${scheme}:// address.`, {
    hint: 'Give the path of a file, or a postgres:// address; the command line reads it from SKILLED_STORE.',
  });
}

/** A store in words: without the user and the password of an address. */
export function storeName({ where, isAddress }: Pick<StorePlace, 'where' | 'isAddress'>): string {
  if (!isAddress) return where;
  const url = URL.parse(where);
  return url === null ? 'PostgreSQL' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Only the project's own folder is made for a store; a slip in a path is not. */
function mustLieInFolder(path: string): string {
  if (isFolder(dirname(path))) return path;
  throw new AgentError('usage.not-found', `There is no folder ${dirname(path)} to keep runs in.`, {
    hint: 'Make it, or name another file in SKILLED_STORE.',
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be used either
  }
}
