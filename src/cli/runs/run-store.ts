import { existsSync } from 'node:fs';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { homeFolder } from '../../config/paths.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { makeSkilledFolder, whyUnwritable } from '../../config/skilled-folder.ts';
import { createKnownStore } from '../../config/storage/known-stores.ts';
import { openHistoryStore } from '../../config/storage/open-store.ts';
import { storeName, locateStore, type StoreLocation } from '../../config/storage/run-store.ts';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import {
  dim,
  mustBeFolder,
  oneLine,
  pasteable,
  shellWord,
  type CommonFlags,
  type Invocation,
} from '../command-kit.ts';

/**
 * Creates the store for the user's first run and prints its location. If a store already exists in the
 * workspace, prints that it is ignored. Set `isNamed` if the location was already printed.
 */
export async function prepareStore(invocation: Invocation, isNamed = false): Promise<void> {
  const { flags, terminal } = invocation;
  const { where, isAddress, folder } = storeLocation(flags);
  sayForeign(invocation);
  if (isAddress || existsSync(where)) return;
  if (folder !== undefined) await makeStore(folder, where);
  if (!flags.quiet && !isNamed)
    terminal.err(`${dim(`Runs are stored in ${shownPath(where, invocation)}`, terminal)}\n`);
}

/** Shows a path relative to the working folder or the home folder on a screen, and whole elsewhere. */
export function shownPath(path: string, { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): string {
  if (terminal.live === undefined) return oneLine(path);
  for (const [folder, start] of [
    [flags.cwd, ''],
    [homeFolder(), '~/'],
  ] as const)
    if (folder !== undefined && path.startsWith(`${folder}/`))
      return oneLine(start + path.slice(folder.length + 1));
  return oneLine(path);
}

const said = new WeakSet<Invocation['terminal']>();

/** Prints once that the workspace's store does not belong to the user, and the command that adopts it. */
export function sayForeign({ flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  const { foreign } = storeLocation(flags);
  if (foreign === undefined || flags.quiet || said.has(terminal)) return;
  said.add(terminal);
  const what = `The runs in ${oneLine(foreign.file)} are read-only history. ${oneLine(foreign.reason)}`;
  terminal.err(`${what}\n  ${pasteable(adoptHint, terminal)}\n`);
}

/** The hint for using a store that does not belong to the user. */
const adoptHint = 'They cannot be answered or resumed. To inspect and use this store: `skilled runs adopt`';

/** Returns the location of the run store. With `--safe`, locations set in files are ignored. */
export function storeLocation({ cwd, safe }: CommonFlags): StoreLocation {
  return locateStore(cwd, { isSafe: safe });
}

/** Returns the store for commands that only work on existing runs, or undefined if no run was ever stored. */
export function existingStore(flags: CommonFlags): string | undefined {
  mustBeFolder(flags.cwd, '--cwd');
  const { where, isAddress } = storeLocation(flags);
  return isAddress || existsSync(where) ? where : undefined;
}

/** Opens an agent with a store's runs and no skills. The agent never deletes runs on its own. */
export function openHistory(store: string): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ store, retentionDays: 0 });
}

/**
 * Opens an agent for reading runs, including runs in a foreign store in the workspace. Returns undefined if
 * no run was ever stored.
 */
export function openReading(
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): RecursiveSkilledAgent | undefined {
  const { flags } = invocation;
  const location = storeLocation(flags);
  const store = existingStore(flags);
  if (location.foreign === undefined) return store === undefined ? undefined : openHistory(store);
  sayForeign(invocation);
  const report = ({ message }: AgentError): void => {
    if (!flags.quiet) invocation.terminal.err(`${oneLine(message)}\n`);
  };
  return new BareAgent(
    { retentionDays: 0 },
    { ...defaultPorts(), openStore: () => openHistoryStore(location, report) },
  );
}

/** Opens an agent for reading one run; throws `usage.not-found` if no run was ever stored. */
export function mustRead(
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
  id: string,
): RecursiveSkilledAgent {
  const agent = openReading(invocation);
  if (agent === undefined) throw noRun(invocation.flags, id);
  return agent;
}

/**
 * Returns the store of one of the user's own runs. Throws `usage.not-found` if no store exists, or
 * `policy.denied` for a run in a foreign store.
 */
export async function mustExist(flags: CommonFlags, id: string): Promise<string> {
  if (await isForeignRun(flags, id))
    throw new AgentError('policy.denied', `Run ${id} is in a store that is not yours, so it is read-only.`, {
      hint: 'To inspect that store and use it as your own: `skilled runs adopt`',
    });
  const store = existingStore(flags);
  if (store === undefined) throw noRun(flags, id);
  return store;
}

/** Whether a run id or its prefix refers to a run in a foreign store. */
export async function isForeignRun(flags: CommonFlags, id: string): Promise<boolean> {
  const location = storeLocation(flags);
  if (location.foreign === undefined || id === 'last' || id === '') return false;
  const query = { idPrefix: id, preparations: true, limit: 1 };
  if (existsSync(location.where)) {
    await using own = openHistory(location.where);
    if ((await own.runs.list(query)).length > 0) return false;
  }
  const history = await openHistoryStore(location);
  try {
    return (await history.runs(query)).length > 0;
  } finally {
    await history.close();
  }
}

function noRun(flags: CommonFlags, id: string): AgentError {
  const none = id === 'last' ? 'No run found' : `Run ${id} not found`;
  const fault = `${none}: there are no runs in ${describeStore(flags)} yet.`;
  return new AgentError('usage.not-found', fault, { hint: startHint });
}

/** Returns the location of the run store, safe to print. */
export function describeStore(flags: CommonFlags): string {
  return oneLine(storeName(storeLocation(flags)));
}

/** The hint for starting the first run. */
export const startHint = 'Start one: `skilled run /<skill>`';

async function makeStore(folder: string, where: string): Promise<void> {
  const failed = (reason: string, hint: string, cause: unknown): AgentError =>
    new AgentError('sandbox.store', `Cannot store runs in ${folder}: ${reason}.`, { hint, cause });
  try {
    makeSkilledFolder(folder);
  } catch (thrown) {
    const hint = 'Use a writable folder, or set a different file, for example SKILLED_STORE=~/runs.db.';
    throw failed(whyUnwritable(folder, thrown), hint, thrown);
  }
  try {
    await createKnownStore(where);
  } catch (thrown) {
    if (isAgentError(thrown) && thrown.code === 'sandbox.store') throw thrown;
    const hint = `Set SKILLED_HOME to a writable folder of your own, or set the store: SKILLED_STORE=${shellWord(where)}`;
    throw failed(
      `it cannot be added to your list of stores, ${reasonOf(thrown)}`.replace(/\.$/, ''),
      hint,
      thrown,
    );
  }
}
