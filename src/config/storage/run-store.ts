import { hash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError, optional, toErrorData, type ErrorData } from '../../core/index.ts';
import type { StoreContents } from '../../stores/sqlite/adopt.ts';
import { newStoreId, readStoreHead } from '../../stores/sqlite/store-file.ts';
import { readSettings, settingsSources, type SourceOptions } from '../read/settings.ts';
import { quotedPath, refuseLinks } from '../skilled-folder.ts';
import { knownStoresFile, readKnownStores, realFilePath, registerStore } from './known-stores.ts';
import { isAddress, mustLieInFolder, namedPlace, projectPlace } from './locations.ts';

/** Where the command line keeps runs. */
export interface StorePlace {
  /** The path of a file, or an address; an address may hold a password. */
  readonly where: string;
  readonly isAddress: boolean;
  /** The project's own folder, in which the file lies; absent when a variable or a setting names another place. */
  readonly folder?: string;
  /** A store of somebody else in the workspace, instead of which this one is used until it is adopted. */
  readonly foreign?: ForeignStore;
  /** Days after which runs that ended are forgotten; absent when nobody says so. */
  readonly retentionDays?: number;
}

/** What `SKILLED_STORE` or the settings say, else the database of the nearest project upwards, else of this folder, which must be the user's own; throws where nothing can be kept. */
export function storePlace(cwd: string, options: SourceOptions = {}): StorePlace {
  const sources = settingsSources(cwd, options);
  const { retentionDays: days } = readSettings(sources).settings.all ?? {};
  const retention = optional('retentionDays', typeof days === 'number' ? days : undefined);
  const named = namedPlace(sources, 'store');
  if (named === undefined) {
    const where = projectPlace(cwd, sources, 'store');
    const environment = sources.environment ?? {};
    const foreign = findForeign(where, environment);
    if (foreign !== undefined)
      return { where: storeInstead(foreign, environment), isAddress: false, foreign, ...retention };
    return { where, isAddress: false, folder: dirname(where), ...retention };
  }
  if (isAddress(named, 'store')) return { where: named, isAddress: true, ...retention };
  return { where: mustLieInFolder(resolve(cwd, named), 'store'), isAddress: false, ...retention };
}

/** Where runs are kept, in words that are safe to print, and what is wrong with that store or with another one there. */
export interface StoreReport {
  readonly place: string;
  readonly foreign?: ForeignStore;
  readonly fault?: ErrorData;
}

/** Looks at the store of the command line without opening it; never throws. */
export function reportStore(cwd: string, options: SourceOptions = {}): StoreReport {
  try {
    const place = storePlace(cwd, options);
    return { place: storeName(place), ...optional('foreign', place.foreign) };
  } catch (thrown) {
    return { place: 'an unknown path', fault: toErrorData(thrown) };
  }
}

/** A store in words: without the user and the password of an address. */
export function storeName({ where, isAddress }: Pick<StorePlace, 'where' | 'isAddress'>): string {
  if (!isAddress) return where;
  const url = URL.parse(where);
  return url === null ? 'PostgreSQL' : `${url.protocol}//${url.host}${url.pathname}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A foreign store, and what is in it. */
export interface ExaminedStore {
  readonly foreign: ForeignStore;
  readonly contents: StoreContents;
}

/** Looks at a store in a workspace without touching it; undefined for one of the user's own. Throws `usage.not-found` if there is no store. */
export async function examineStore(
  file: string,
  environment: Environment = process.env,
): Promise<ExaminedStore | undefined> {
  const foreign = findForeign(file, environment);
  if (foreign === undefined && readStoreHead(file).is === 'missing')
    throw new AgentError('usage.not-found', `There is no store ${file}.`, {
      hint: 'Name a folder that has .skilled/skilled.db: `skilled runs adopt <path>`',
    });
  if (foreign === undefined) return undefined;
  const { inspectStore } = await import('../../stores/sqlite/adopt.ts');
  return { foreign, contents: await inspectStore(file) };
}

/** Makes a store the user's own, and moves the runs into it that were kept elsewhere meanwhile; resolves with how many. */
export async function adoptStore(
  { foreign, contents }: ExaminedStore,
  environment: Environment = process.env,
): Promise<number> {
  const { claimStore, moveRuns } = await import('../../stores/sqlite/adopt.ts');
  const instead = storeInstead(foreign, environment);
  const id = newStoreId();
  await claimStore(foreign.file, id, contents);
  const moved = existsSync(instead) ? await moveRuns(instead, foreign.file) : 0;
  await registerStore(id, foreign.file, environment);
  return moved;
}

/** A store that was found in a workspace and was not made there by this user: history that can only be read. */
interface ForeignStore {
  readonly file: string;
  /** Why it does not count, as one sentence. */
  readonly reason: string;
}

/**
 * Whether a store that was found in a workspace is somebody else's; undefined for one of this user, and where none is.
 * Throws `usage.bad-settings` for a link, and `sandbox.store` for a store of this user that is damaged: it is not made
 * again in silence.
 */
function findForeign(file: string, environment: Environment): ForeignStore | undefined {
  refuseLinks(file);
  const head = readStoreHead(file);
  if (head.is === 'missing') return undefined;
  const path = realFilePath(file);
  const known = readKnownStores(environment);
  const here = known.find((one) => one.path === path);
  if (head.is === 'store' && head.id !== undefined && head.id === here?.id) {
    checkBeside(file);
    return undefined;
  }
  if (here !== undefined && head.is !== 'store')
    throw damagedStore(file, head.is === 'damaged' ? head.fault : 'is a link');
  return { file, reason: reasonFor() };

  function reasonFor(): string {
    const id = head.is === 'store' ? head.id : undefined;
    if (head.is === 'damaged') return `It was not made here, and it ${head.fault}.`;
    if (here !== undefined) return 'Another store was made here, and this one replaced it.';
    const elsewhere = known.find((one) => id !== undefined && one.id === id);
    if (elsewhere !== undefined) return `It was made at ${elsewhere.path}, and moved or copied to this path.`;
    if (id === undefined) return 'Nothing shows that you made it: it has no id, as stores of older versions.';
    return `It is not on your list of stores, ${knownStoresFile(environment) ?? 'for which there is no home folder'}.`;
  }
}

/** The store in the user's own folder that is used instead of a foreign one; throws where there is no such folder. */
function storeInstead(foreign: ForeignStore, environment: Environment): string {
  const list = knownStoresFile(environment);
  if (list !== undefined)
    return join(dirname(list), 'stores', `${hash('sha256', realFilePath(foreign.file)).slice(0, 16)}.db`);
  throw new AgentError('sandbox.store', `${foreign.file} is not yours. ${foreign.reason}`, {
    hint: 'Name the store that you want to use in SKILLED_STORE, or set SKILLED_HOME to a folder of your own.',
  });
}

/**
 * SQLite writes what it finds in the files beside a database into it, and a pull could bring such a file. Ours have the
 * owner and the permissions of their store, which git does not give; and our stores have no rollback journal.
 */
function checkBeside(file: string): void {
  const [store, log] = [file, `${file}-wal`].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  const isOther =
    log !== undefined && (log.uid !== store?.uid || (log.mode & 0o777) !== (store.mode & 0o777));
  const strange = existsSync(`${file}-journal`) ? '-journal' : isOther ? '-wal' : undefined;
  if (strange === undefined) return;
  throw new AgentError('sandbox.store', `${file}${strange} was not made by skilled.`, {
    hint: `Remove it if you do not know it (\`rm ${quotedPath(`${file}${strange}`)}\`): it would change the store.`,
  });
}

function damagedStore(file: string, fault: string): AgentError {
  return new AgentError('sandbox.store', `The store ${file} is damaged: it ${fault}.`, {
    hint: `Restore it from a backup, or move it away and begin with an empty one: \`mv ${quotedPath(file)} ${quotedPath(`${file}.damaged`)}\``,
  });
}
