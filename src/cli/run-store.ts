import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { storeName, storePlace } from '../config/store-place.ts';
import { AgentError, reasonOf } from '../core/error.ts';
import type { CommonFlags, Invocation } from './command.ts';
import { mustBeFolder } from './open-agent.ts';
import { oneLine } from './output/text.ts';

/** Makes what the store of a first run needs, and says where it is. */
export function prepareStore({ flags, terminal }: Invocation): void {
  const { where, isAddress, folder } = storePlace(flags.cwd);
  if (isAddress || existsSync(where)) return;
  if (folder !== undefined) makeFolder(folder);
  if (!flags.quiet) terminal.err(`Runs are kept in ${oneLine(where)}\n`);
}

/** The store for a command that only works on runs that there are; undefined where nothing was ever kept. */
export function existingStore(flags: CommonFlags): string | undefined {
  mustBeFolder(flags.cwd, '--cwd');
  const { where, isAddress } = storePlace(flags.cwd);
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
  const fault = `There is no run ${id}: no run was kept in ${placeOfRuns(flags)} yet.`;
  throw new AgentError('usage.not-found', fault, { hint: startHint });
}

/** Where runs are kept, in words that are safe to print. */
export function placeOfRuns(flags: CommonFlags): string {
  return oneLine(storeName(storePlace(flags.cwd)));
}

/** How to begin a first run. */
export const startHint = 'Start one: skilled run /<skill>';

const ignored = ['skilled.db*', 'cache/', 'settings.local.json'];

/** Nothing of it that is made by us belongs into a repository; a list that is there already stays as it is. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '.gitignore'), ignored.map((line) => `${line}\n`).join(''), { flag: 'wx' });
  } catch (thrown) {
    if ((thrown as { code?: string }).code === 'EEXIST' && existsSync(folder)) return;
    throw new AgentError('sandbox.store', `Runs cannot be kept in ${folder}: ${reasonOf(thrown)}.`, {
      hint: 'Name another place in SKILLED_STORE, or work in a folder that can be written.',
      cause: thrown,
    });
  }
}
