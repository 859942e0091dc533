import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  AgentError,
  isAgentError,
  type RunQuery,
  type RunStatus,
  type RunSummary,
  type Store,
} from '../../core/index.ts';
import { refuseLinks } from '../skilled-folder.ts';
import { isAddress } from './locations.ts';
import type { StoreLocation } from './run-store.ts';

/**
 * Opens the run history of a workspace read-only. It includes the user's own runs and the runs of a foreign
 * store. Foreign runs that are recorded as running or waiting have the status `interrupted`. If the foreign
 * store cannot be read, reports the error and shows only the user's own runs.
 */
export async function openHistoryStore(
  { where, isAddress, foreign }: StoreLocation,
  report: (error: AgentError) => void = () => undefined,
): Promise<Store> {
  const own = isAddress || existsSync(where) ? await openStore(where) : await openStore(undefined);
  if (foreign === undefined) return own;
  const { openForeignStore } = await import('../../stores/sqlite/foreign-store.ts');
  try {
    return withHistory(own, await openForeignStore(foreign.file));
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    report(thrown); // If the foreign store cannot be read, the user's own runs are still shown.
    return own;
  }
}

function withHistory(own: Store, foreign: Store): Store {
  const isOwn = async (id: string): Promise<boolean> => (await own.runs({ ids: [id] })).length > 0;
  const foreignRuns = async (query: RunQuery): Promise<readonly RunSummary[]> => {
    const status = query.status?.flatMap((one) => foreignStatuses[one]);
    const runs =
      status?.length === 0 ? [] : await foreign.runs(status === undefined ? query : { ...query, status });
    const twice = new Set((await own.runs({ ids: runs.map(({ id }) => id) })).map(({ id }) => id));
    return runs
      .filter(({ id }) => !twice.has(id))
      .map((run) =>
        run.status === 'waiting' || run.status === 'running' ? { ...run, status: 'interrupted' } : run,
      );
  };

  return {
    async runs(query = {}) {
      // The user's own runs come first, so that `last` never selects a foreign run.
      const all = [...(await own.runs(query)), ...(await foreignRuns(query))];
      return all.slice(0, query.limit ?? 100);
    },
    async *read(runId, fromSeq) {
      yield* (await isOwn(runId)) ? own.read(runId, fromSeq) : foreign.read(runId, fromSeq);
    },
    async close() {
      await foreign.close();
      await own.close();
    },
    get: (...where) => own.get(...where),
    entries: (...where) => own.entries(...where),
    claim: refuse,
    append: refuse,
    beat: refuse,
    release: (claims) => own.release(claims), // Foreign runs are never claimed, because they are read-only.
    remove: refuse,
    expire: refuse,
    set: refuse,
    add: refuse,
    swap: refuse,
    delete: refuse,
    clear: refuse,
  };
}

/** Maps a displayed status to the recorded statuses of the foreign runs that have it. */
const foreignStatuses: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  running: [],
  waiting: [],
  interrupted: ['running', 'waiting', 'interrupted'],
  done: ['done'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AgentError('policy.denied', 'The history is read-only.', {
      hint: 'Adopt the store first: `skilled runs adopt`',
    }),
  );
}

/**
 * Opens a store: PostgreSQL for an address, SQLite for a path, or an in-memory store if no location is given.
 * Loads the store's package on first use.
 */
export async function openStore(where: string | undefined): Promise<Store> {
  if (where === undefined) return (await import('../../stores/memory.ts')).createMemoryStore();
  if (isAddress(where, 'store'))
    return (await import('../../stores/postgres/store.ts')).openPostgresStore(where);
  const path = resolve(where);
  if (basename(path) === 'skilled.db' && basename(dirname(path)) === '.skilled') await makeKnown(path);
  return (await import('../../stores/sqlite/store.ts')).openSqliteStore(path);
}

/**
 * Adds a store that was created at the CLI's default path to the user's list, so that later commands accept
 * it.
 */
async function makeKnown(path: string): Promise<void> {
  refuseLinks(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await import('./known-stores.ts')).createKnownStore(path);
  } catch {
    // A store that the user named explicitly needs no list entry. Opening the store reports any
    // problem with its path.
  }
}
