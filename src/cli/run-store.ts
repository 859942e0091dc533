import { existsSync } from 'node:fs';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { makeSkilledFolder } from '../config/skilled-folder.ts';
import { storeName, storePlace, type StorePlace } from '../config/store-place.ts';
import { whyUnwritable } from '../config/why-unwritable.ts';
import { AgentError } from '../core/error.ts';
import type { CommonFlags, Invocation } from './command.ts';
import { mustBeFolder } from './must-be-folder.ts';
import { oneLine } from './output/text.ts';

/** Makes what the store of a first run needs, and says where it is. */
export function prepareStore({ flags, terminal }: Invocation): void {
  const { where, isAddress, folder } = placeOf(flags);
  if (isAddress || existsSync(where)) return;
  if (folder !== undefined) makeFolder(folder);
  if (!flags.quiet) terminal.err(`Runs are kept in ${oneLine(where)}\n`);
}

/** Where a command keeps runs; `--safe` ignores what files say about it. */
export function placeOf({ cwd, safe }: CommonFlags): StorePlace {
  return storePlace(cwd, { isSafe: safe });
}

/** The store for a command that only works on runs that there are; undefined where nothing was ever kept. */
export function existingStore(flags: CommonFlags): string | undefined {
  mustBeFolder(flags.cwd, '--cwd');
  const { where, isAddress } = placeOf(flags);
  return isAddress || existsSync(where) ? where : undefined;
}

/** An agent that knows the runs of a store and no skills; it forgets none by itself. */
export function openHistory(store: string): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ store, retentionDays: 0 });
}

/** The store in which a run is to be found; throws `usage.not-found` where there is none. */
export function mustExist(flags: CommonFlags, id: string): string {
  const store = existingStore(flags);
  if (store !== undefined) return store;
  const none = id === 'last' ? 'There is none' : `There is no run ${id}`;
  const fault = `${none}: no run was kept in ${placeOfRuns(flags)} yet.`;
  throw new AgentError('usage.not-found', fault, { hint: startHint });
}

/** Where runs are kept, in words that are safe to print. */
export function placeOfRuns(flags: CommonFlags): string {
  return oneLine(storeName(placeOf(flags)));
}

/** How to begin a first run. */
export const startHint = 'Start one: `skilled run /<skill>`';

function makeFolder(folder: string): void {
  try {
    makeSkilledFolder(folder);
  } catch (thrown) {
    throw new AgentError(
      'sandbox.store',
      `Runs cannot be kept in ${folder}: ${whyUnwritable(folder, thrown)}.`,
      {
        hint: 'Work in a folder that can be written, or name another file, as in SKILLED_STORE=~/runs.db.',
        cause: thrown,
      },
    );
  }
}
