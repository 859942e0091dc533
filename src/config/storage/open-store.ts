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
import type { StorePlace } from './run-store.ts';

/**
 * Opens everything that can be read in a workspace: the user's own runs, and those of a foreign store, none of which is
 * open: what waits or runs there by its log is `interrupted`. Nothing can be written. A foreign store that cannot be read
 * is reported, and has no runs.
 */
export async function openHistoryStore(
  { where, isAddress, foreign }: StorePlace,
  report: (error: AgentError) => void = () => undefined,
): Promise<Store> {
  const own = isAddress || existsSync(where) ? await openStore(where) : await openStore(undefined);
  if (foreign === undefined) return own;
  const { openForeignStore } = await import('../../stores/sqlite/foreign-store.ts');
  try {
    return withHistory(own, await openForeignStore(foreign.file));
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    report(thrown); // what somebody else left there does not hide the user's own runs
    return own;
  }
}

function withHistory(own: Store, foreign: Store): Store {
  const isOwn = async (id: string): Promise<boolean> => (await own.runs({ ids: [id] })).length > 0;
  const foreignRuns = async (query: RunQuery): Promise<readonly RunSummary[]> => {
    const status = query.status?.flatMap((one) => kept[one]);
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
      const all = [...(await own.runs(query)), ...(await foreignRuns(query))]; // `last` is never a foreign one
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
    release: refuse,
    remove: refuse,
    expire: refuse,
    set: refuse,
    add: refuse,
    delete: refuse,
    clear: refuse,
  };
}

/** The statuses of a foreign log that count as one of these. */
const kept: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  running: [],
  waiting: [],
  interrupted: ['running', 'waiting', 'interrupted'],
  done: ['done'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AgentError('policy.denied', 'A history that is only read is not changed.', {
      hint: 'Use it as your own first: `skilled runs adopt`',
    }),
  );
}

/** Opens a store: PostgreSQL for an address, SQLite for a path, memory for nothing; its packages are loaded now. */
export async function openStore(where: string | undefined): Promise<Store> {
  if (where === undefined) return (await import('../../stores/memory.ts')).createMemoryStore();
  if (isAddress(where, 'store'))
    return (await import('../../stores/postgres/store.ts')).openPostgresStore(where);
  const path = resolve(where);
  if (basename(path) === 'skilled.db' && basename(dirname(path)) === '.skilled') await makeKnown(path);
  return (await import('../../stores/sqlite/store.ts')).openSqliteStore(path);
}

/** A store that is made where the command line looks for one is put on the user's list, so that it counts there. */
async function makeKnown(path: string): Promise<void> {
  refuseLinks(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await import('./known-stores.ts')).createKnownStore(path);
  } catch {
    // A store that was named counts without the list; what is wrong with its path is reported when it is opened.
  }
}
