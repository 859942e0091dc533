import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, isJsonObject, parseJson } from '../../core/index.ts';
import { findRealPath } from '../../files/index.ts';
import { readOwnText, replaceOwnText, withTrustLock } from '../../policy/trust-file.ts';
import { toStoreError } from '../../stores/sqlite/driver.ts';
import { createStoreFile, newStoreId, readStoreHead } from '../../stores/sqlite/store-file.ts';
import { besideDatabase } from '../skilled-folder.ts';
import { homeFolder, userFolder } from '../paths.ts';

/** A store that was made, or adopted, by this user at this path. */
interface KnownStore {
  readonly id: string;
  /** Real path. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file that lists the stores of a user; undefined for a user without a folder of their own. */
export function knownStoresFile(environment: Environment): string | undefined {
  const folder = userFolder(environment, homeFolder(environment));
  return folder === undefined ? undefined : join(folder, 'stores.json');
}

/** Every known store; throws `usage.bad-settings` where the file is broken, or others could have written it. */
export function readKnownStores(environment: Environment): readonly KnownStore[] {
  const file = knownStoresFile(environment);
  const text = file === undefined ? undefined : readOwnText(file);
  if (text === undefined) return [];
  const whole = parseJson(text);
  const stores = isJsonObject(whole) && whole['version'] === 1 ? whole['stores'] : undefined;
  if (Array.isArray(stores) && stores.every(isKnownStore)) return stores;
  throw new AgentError('usage.bad-settings', `${String(file)} is not a list of stores.`, {
    hint: 'Correct it, or move it away and adopt your stores again: `skilled runs adopt`',
  });
}

/**
 * Makes a store in a workspace and lists it, unless something is there already; only one of several processes makes it.
 * Throws where it cannot be listed: it would count as foreign from the next command on.
 */
export async function createKnownStore(path: string, environment: Environment = process.env): Promise<void> {
  if (readStoreHead(path).is !== 'missing') return;
  await withStores(environment, (before, write) => {
    if (readStoreHead(path).is !== 'missing') return;
    // What is left without its store is of no use, and SQLite would write it into the new one.
    for (const end of besideDatabase) rmSync(`${path}${end}`, { force: true });
    const id = newStoreId();
    write(withStore(before, id, path)); // first: a process that sees the file must find it on the list
    try {
      if (!createStoreFile(path, id)) write(before); // a process with another list was faster
    } catch (thrown) {
      write(before);
      throw toStoreError(thrown, `store ${path}`);
    }
  });
}

/** Lists a store under its id and path, and nothing else under this path. */
export async function registerStore(id: string, path: string, environment: Environment): Promise<void> {
  await withStores(environment, (before, write) => write(withStore(before, id, path)));
}

/** The real path of a file that is not a link itself, whether or not it is there. */
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
    throw new AgentError('usage.bad-settings', 'There is no home folder in which to list stores.', {
      hint: 'Set SKILLED_HOME to a folder of your own.',
    });
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
