import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { optional } from '../core/optional.ts';
import { mustStayIn } from './must-stay-in.ts';
import { projectFolder } from './project-folder.ts';
import { readLayers, readSettings, type SettingsSources } from './settings.ts';
import { settingsSources, type SourceOptions } from './settings-sources.ts';
import { homeFolder } from './user-folders.ts';

/** Where the command line keeps runs. */
export interface StorePlace {
  /** The path of a file, or an address; an address may hold a password. */
  readonly where: string;
  readonly isAddress: boolean;
  /** The project's own folder, in which the file lies; absent when a variable or a setting names another place. */
  readonly folder?: string;
  /** Days after which runs that ended are forgotten; absent when nobody says so. */
  readonly retentionDays?: number;
}

/** What `SKILLED_STORE` or the settings say, else the database of the nearest project upwards, else of this folder; throws where nothing can be kept. */
export function storePlace(cwd: string, options: SourceOptions = {}): StorePlace {
  const sources = settingsSources(cwd, options);
  const { store, retentionDays: days } = readSettings(sources).settings.all ?? {};
  const retention = optional('retentionDays', typeof days === 'number' ? days : undefined);
  if (typeof store === 'string') {
    checkProjectStore(sources, store);
    return { ...namedPlace(cwd, store), ...retention };
  }
  const home = homeFolder(sources.environment);
  const project = projectFolder(cwd, home, (dir) => isFolder(join(dir, '.skilled')));
  const folder = join(project, '.skilled');
  const where = join(folder, 'skilled.db');
  mustStayIn(project, where);
  return { where, isAddress: false, folder, ...retention };
}

/** A path that a project names may lead out of it by a link. */
function checkProjectStore(sources: SettingsSources, store: string): void {
  const says = readLayers(sources).layers.findLast(({ values }) => values['store'] === store);
  if (says?.name === 'project' || says?.name === 'local') mustStayIn(dirname(dirname(says.from)), store);
}

function namedPlace(cwd: string, named: string): StorePlace {
  if (isStoreAddress(named)) return { where: named, isAddress: true };
  return { where: mustLieInFolder(resolve(cwd, named)), isAddress: false };
}

/** Whether a store is named by an address instead of a path; throws `usage.bad-settings` for one that no store here has. */
export function isStoreAddress(where: string): boolean {
  if (/^postgres(?:ql)?:/.test(where)) return true;
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(where)?.[1];
  if (scheme === undefined) return false;
  throw new AgentError('usage.bad-settings', `Runs cannot be kept at a ${scheme}:// address.`, {
    hint: 'Give the path of a file, or a postgres:// address; the command line reads it from SKILLED_STORE and the setting "store".',
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
    hint: 'Make it, or name another file in SKILLED_STORE or the setting "store".',
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be used either
  }
}
