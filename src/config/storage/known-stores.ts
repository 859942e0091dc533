import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, isJsonObject, parseJson } from '../../core/index.ts';
import { findRealPath } from '../../files/index.ts';
import { readOwnText, replaceOwnText, withTrustLock } from '../../policy/trust-file.ts';
import { toStoreError } from '../../stores/sqlite/driver.ts';
import { createStoreFile, newStoreId, readStoreHead } from '../../stores/sqlite/store-file.ts';
import { besideDatabase } from '../skilled-folder.ts';
import { homeFolder, userFolder } from '../paths.ts';

/** An entry for a store that this user created or adopted. */
interface KnownStore {
  readonly id: string;
  /** The store's real path. */
  readonly path: string;
  /** The time when the store was added, in milliseconds since the Unix epoch. */
  readonly at: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the file that lists a user's stores, or undefined if there is no user folder. */
export function knownStoresFile(environment: Environment): string | undefined {
  const folder = userFolder(environment, homeFolder(environment));
  return folder === undefined ? undefined : join(folder, 'stores.json');
}

/**
 * Reads all known stores. Throws `usage.bad-settings` if the file is invalid or if other users could have
 * written it.
 */
export function readKnownStores(environment: Environment): readonly KnownStore[] {
  const file = knownStoresFile(environment);
  const text = file === undefined ? undefined : readOwnText(file);
  if (text === undefined) return [];
  const whole = parseJson(text);
  const stores = isJsonObject(whole) && whole['version'] === 1 ? whole['stores'] : undefined;
  if (Array.isArray(stores) && stores.every(isKnownStore)) return stores;
  throw new AgentError('usage.bad-settings', `${String(file)} does not contain a valid list of stores.`, {
    hint: 'Fix it, or move it away and adopt your stores again: `skilled runs adopt`',
  });
}

/**
 * Creates a store in a workspace and adds it to the user's list, unless the path already exists. If
 * several processes do so at the same time, only one creates the store. Throws if the store cannot
 * be added to the list, because later commands would then treat it as foreign.
 */
export async function createKnownStore(path: string, environment: Environment = process.env): Promise<void> {
  if (readStoreHead(path).is !== 'missing') return;
  await withStores(environment, (before, write) => {
    if (readStoreHead(path).is !== 'missing') return;
    // Remove leftover files of a deleted store, because SQLite would apply them to the new store.
    for (const end of besideDatabase) rmSync(`${path}${end}`, { force: true });
    const id = newStoreId();
    // Write the entry first, so that any process that finds the store also finds its entry.
    write(withStore(before, id, path));
    try {
      // If another process has created the store in the meantime, restore the previous list.
      if (!createStoreFile(path, id)) write(before);
    } catch (thrown) {
      write(before);
      throw toStoreError(thrown, `store ${path}`);
    }
  });
}

/** Adds a store to the list with its id and path, replacing any other entry for the path. */
export async function registerStore(id: string, path: string, environment: Environment): Promise<void> {
  await withStores(environment, (before, write) => write(withStore(before, id, path)));
}

/** Resolves links in the path's folder, and throws if the path itself is a link. The file need not exist. */
export function realFilePath(path: string): string {
  return join(findRealPath(dirname(path)) ?? dirname(path), basename(path));
}

type WriteStores = (stores: readonly KnownStore[]) => void;

async function withStores(
  environment: Environment,
  work: (before: readonly KnownStore[], write: WriteStores) => void,
): Promise<void> {
  const file = knownStoresFile(environment);
  if (file === undefined)
    throw new AgentError(
      'usage.bad-settings',
      'The list of stores cannot be saved: no home folder was found.',
      {
        hint: 'Set SKILLED_HOME to a folder that you own.',
      },
    );
  await withTrustLock(file, () =>
    work(readKnownStores(environment), (stores) => replaceOwnText(file, textOf(stores))),
  );
}

function withStore(before: readonly KnownStore[], id: string, path: string): readonly KnownStore[] {
  const real = realFilePath(path);
  return [...before.filter((known) => known.path !== real), { id, path: real, at: Date.now() }];
}

function textOf(stores: readonly KnownStore[]): string {
  const rows = stores.map((store) => `\n    ${JSON.stringify(store)}`);
  return `{\n  "version": 1,\n  "stores": [${rows.join(',')}${rows.length === 0 ? '' : '\n  '}]\n}\n`;
}

function isKnownStore(entry: unknown): entry is KnownStore {
  const { id, path, at } = (entry ?? {}) as Partial<Record<keyof KnownStore, unknown>>;
  const isId = typeof id === 'string' && /^[\da-f]{16}$/.test(id);
  return isId && typeof path === 'string' && typeof at === 'number';
}
