import { existsSync } from 'node:fs';
import { AgentError } from '../core/error.ts';
import type { StoreContents } from '../stores/adopt-store.ts';
import { newStoreId, readStoreHead } from '../stores/store-file.ts';
import { findForeign, storeInstead, type ForeignStore } from './found-store.ts';
import { registerStore } from './known-stores.ts';

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
  const { inspectStore } = await import('../stores/adopt-store.ts');
  return { foreign, contents: await inspectStore(file) };
}

/** Makes a store the user's own, and moves the runs into it that were kept elsewhere meanwhile; resolves with how many. */
export async function adoptStore(
  { foreign, contents }: ExaminedStore,
  environment: Environment = process.env,
): Promise<number> {
  const { claimStore, moveRuns } = await import('../stores/adopt-store.ts');
  const instead = storeInstead(foreign, environment);
  const id = newStoreId();
  await claimStore(foreign.file, id, contents);
  const moved = existsSync(instead) ? await moveRuns(instead, foreign.file) : 0;
  await registerStore(id, foreign.file, environment);
  return moved;
}
