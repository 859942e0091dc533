import { hash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError, optional, toErrorData, type ErrorData } from '../../core/index.ts';
import type { StoreContents } from '../../stores/sqlite/adopt.ts';
import { newStoreId, readStoreHead } from '../../stores/sqlite/store-file.ts';
import { settingsSources, type SourceOptions } from '../read/settings.ts';
import { quotedPath, refuseLinks } from '../skilled-folder.ts';
import { knownStoresFile, readKnownStores, realFilePath, registerStore } from './known-stores.ts';
import { isAddress, mustBeInFolder, configuredLocation, projectPath, valuesIn } from './locations.ts';

/** The location of the CLI's run store. */
export interface StoreLocation {
  /** A file path or an address. The address can contain a password. */
  readonly where: string;
  readonly isAddress: boolean;
  /**
   * The project's `.skilled` folder, if it contains the file. Absent if a variable or setting names another
   * location.
   */
  readonly folder?: string;
  /**
   * The foreign store in the workspace, if there is one. Until the user adopts it, the store at
   * `where` is used instead.
   */
  readonly foreign?: ForeignStore;
  /**
   * The number of days after which finished runs are deleted. Absent if runs are kept indefinitely.
   */
  readonly retentionDays?: number;
}

/**
 * Returns where the CLI stores runs: the location set by `SKILLED_STORE` or the settings, or else
 * the store of the nearest enclosing project or of `cwd`. A foreign store is replaced with one of
 * the user's own, unless its location was set explicitly. Throws if the location cannot be used.
 */
export function locateStore(cwd: string, options: SourceOptions = {}): StoreLocation {
  const sources = settingsSources(cwd, options);
  const { retentionDays: days } = valuesIn(sources).values;
  const retention = optional('retentionDays', typeof days === 'number' ? days : undefined);
  const named = configuredLocation(sources, 'store');
  if (named === undefined) {
    const where = projectPath(cwd, sources, 'store');
    const environment = sources.environment ?? {};
    const foreign = findForeign(where, environment);
    if (foreign !== undefined)
      return { where: storeInstead(foreign, environment), isAddress: false, foreign, ...retention };
    return { where, isAddress: false, folder: dirname(where), ...retention };
  }
  if (isAddress(named, 'store')) return { where: named, isAddress: true, ...retention };
  return { where: mustBeInFolder(resolve(cwd, named), 'store'), isAddress: false, ...retention };
}

/** The location of the run store, without secrets, and any problem with it or with a foreign store. */
export interface StoreReport {
  readonly location: string;
  readonly foreign?: ForeignStore;
  readonly fault?: ErrorData;
}

/** Checks the location of the CLI's store without opening it. Never throws. */
export function reportStore(cwd: string, options: SourceOptions = {}): StoreReport {
  try {
    const location = locateStore(cwd, options);
    return { location: storeName(location), ...optional('foreign', location.foreign) };
  } catch (thrown) {
    return { location: 'an unknown path', fault: toErrorData(thrown) };
  }
}

/** Returns the name of a store to display: its path, or its address without user name and password. */
export function storeName({ where, isAddress }: Pick<StoreLocation, 'where' | 'isAddress'>): string {
  if (!isAddress) return where;
  const url = URL.parse(where);
  return url === null ? 'PostgreSQL' : `${url.protocol}//${url.host}${url.pathname}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A foreign store and its contents. */
export interface ExaminedStore {
  readonly foreign: ForeignStore;
  readonly contents: StoreContents;
}

/**
 * Inspects a store in a workspace without changing it. Returns undefined if the store is the user's own.
 * Throws `usage.not-found` if there is no store.
 */
export async function examineStore(
  file: string,
  environment: Environment = process.env,
): Promise<ExaminedStore | undefined> {
  const foreign = findForeign(file, environment);
  if (foreign === undefined && readStoreHead(file).is === 'missing')
    throw new AgentError('usage.not-found', `Store ${file} does not exist.`, {
      hint: 'Pass a folder that contains .skilled/skilled.db: `skilled runs adopt <path>`',
    });
  if (foreign === undefined) return undefined;
  const { inspectStore } = await import('../../stores/sqlite/adopt.ts');
  return { foreign, contents: await inspectStore(file) };
}

/**
 * Makes a foreign store the user's own, and moves into it the runs that were stored elsewhere in
 * the meantime. Resolves to the number of moved runs.
 */
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

/** A store in a workspace that another user or machine created. Its runs can only be read. */
interface ForeignStore {
  readonly file: string;
  /** The reason why the store is foreign, as one sentence. */
  readonly reason: string;
}

/**
 * Returns the store if it is foreign. Returns undefined if it is the user's own or does not exist. Throws
 * `usage.bad-settings` for a link, and `sandbox.store` if the user's own store is damaged, because a damaged
 * store must not be replaced silently.
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
    if (head.is === 'damaged') return `You did not create this store here, and it ${head.fault}.`;
    if (here !== undefined) return 'This store replaced another one that was created here.';
    const elsewhere = known.find((one) => id !== undefined && one.id === id);
    if (elsewhere !== undefined)
      return `This store was created at ${elsewhere.path}, then moved or copied here.`;
    if (id === undefined)
      return 'Nothing shows that you created this store: it has no id, like stores from older versions.';
    return `This store is not in your list of stores (${knownStoresFile(environment) ?? 'which needs a home folder'}).`;
  }
}

/**
 * Returns the location of the user's own store that replaces a foreign one. Throws if there is no user
 * folder.
 */
function storeInstead(foreign: ForeignStore, environment: Environment): string {
  const list = knownStoresFile(environment);
  if (list !== undefined)
    return join(dirname(list), 'stores', `${hash('sha256', realFilePath(foreign.file)).slice(0, 16)}.db`);
  throw new AgentError('sandbox.store', `${foreign.file} is not yours. ${foreign.reason}`, {
    hint: 'Set SKILLED_STORE to the store to use, or set SKILLED_HOME to a folder of your own.',
  });
}

/**
 * Throws `sandbox.store` if a store has a rollback journal, or a write-ahead log whose owner or
 * mode differs from the store's. skilled never creates such files, but a git pull could add them,
 * and SQLite would apply them.
 */
function checkBeside(file: string): void {
  const [store, log] = [file, `${file}-wal`].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  const isOther =
    log !== undefined && (log.uid !== store?.uid || (log.mode & 0o777) !== (store.mode & 0o777));
  const strange = existsSync(`${file}-journal`) ? '-journal' : isOther ? '-wal' : undefined;
  if (strange === undefined) return;
  throw new AgentError('sandbox.store', `${file}${strange} was not created by skilled.`, {
    hint: `If you do not recognize it, remove it (\`rm ${quotedPath(`${file}${strange}`)}\`): it would change the store.`,
  });
}

function damagedStore(file: string, fault: string): AgentError {
  return new AgentError('sandbox.store', `The store ${file} is damaged: it ${fault}.`, {
    hint: `Restore it from a backup, or move it away and start with an empty one: \`mv ${quotedPath(file)} ${quotedPath(`${file}.damaged`)}\``,
  });
}
