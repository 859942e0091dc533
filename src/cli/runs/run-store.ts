import { existsSync } from 'node:fs';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { makeSkilledFolder, whyUnwritable } from '../../config/skilled-folder.ts';
import { createKnownStore } from '../../config/storage/known-stores.ts';
import { openHistoryStore } from '../../config/storage/open-store.ts';
import { storeName, storePlace, type StorePlace } from '../../config/storage/run-store.ts';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import {
  mustBeFolder,
  oneLine,
  pasteable,
  shellWord,
  type CommonFlags,
  type Invocation,
} from '../command-kit.ts';

/** Makes what the store of a first run needs, and says where it is, or that another one in the workspace is not used. */
export async function prepareStore(invocation: Invocation): Promise<void> {
  const { flags, terminal } = invocation;
  const { where, isAddress, folder } = placeOf(flags);
  sayForeign(invocation);
  if (isAddress || existsSync(where)) return;
  if (folder !== undefined) await makeStore(folder, where);
  if (!flags.quiet) terminal.err(`Runs are kept in ${oneLine(where)}\n`);
}

const said = new WeakSet<Invocation['terminal']>();

/** Says once that the store in this workspace is not the user's, and how it becomes that. */
export function sayForeign({ flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  const { foreign } = placeOf(flags);
  if (foreign === undefined || flags.quiet || said.has(terminal)) return;
  said.add(terminal);
  const what = `The runs in ${oneLine(foreign.file)} are only history. ${oneLine(foreign.reason)}`;
  terminal.err(`${what}\n  ${pasteable(adoptHint, terminal)}\n`);
}

/** How to use a foreign store. */
const adoptHint = 'Nothing in it waits or can be resumed. To look at it and use it: `skilled runs adopt`';

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

/** An agent for looking at runs, those of a foreign store in the workspace included; undefined where nothing was ever kept. */
export function openReading(
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): RecursiveSkilledAgent | undefined {
  const { flags } = invocation;
  const place = placeOf(flags);
  const store = existingStore(flags);
  if (place.foreign === undefined) return store === undefined ? undefined : openHistory(store);
  sayForeign(invocation);
  const report = ({ message }: AgentError): void => {
    if (!flags.quiet) invocation.terminal.err(`${oneLine(message)}\n`);
  };
  return new BareAgent(
    { retentionDays: 0 },
    { ...defaultPorts(), openStore: () => openHistoryStore(place, report) },
  );
}

/** The same for one run; throws `usage.not-found` where there can be none. */
export function mustRead(
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
  id: string,
): RecursiveSkilledAgent {
  const agent = openReading(invocation);
  if (agent === undefined) throw noRun(invocation.flags, id);
  return agent;
}

/** The store that holds a run of the user's own; throws `usage.not-found` if there is no store, `policy.denied` for a foreign run. */
export async function mustExist(flags: CommonFlags, id: string): Promise<string> {
  if (await isForeignRun(flags, id))
    throw new AgentError(
      'policy.denied',
      `Run ${id} is in a store that is not yours, so it is only history.`,
      {
        hint: 'Look at that store and use it as your own: `skilled runs adopt`',
      },
    );
  const store = existingStore(flags);
  if (store === undefined) throw noRun(flags, id);
  return store;
}

/** Whether the id of a run, or its beginning, stands for a run of a foreign store. */
export async function isForeignRun(flags: CommonFlags, id: string): Promise<boolean> {
  const place = placeOf(flags);
  if (place.foreign === undefined || id === 'last' || id === '') return false;
  const query = { idPrefix: id, preparations: true, limit: 1 };
  if (existsSync(place.where)) {
    await using own = openHistory(place.where);
    if ((await own.runs.list(query)).length > 0) return false;
  }
  const history = await openHistoryStore(place);
  try {
    return (await history.runs(query)).length > 0;
  } finally {
    await history.close();
  }
}

function noRun(flags: CommonFlags, id: string): AgentError {
  const none = id === 'last' ? 'There is none' : `There is no run ${id}`;
  const fault = `${none}: no run was kept in ${placeOfRuns(flags)} yet.`;
  return new AgentError('usage.not-found', fault, { hint: startHint });
}

/** Where runs are kept, in words that are safe to print. */
export function placeOfRuns(flags: CommonFlags): string {
  return oneLine(storeName(placeOf(flags)));
}

/** How to begin a first run. */
export const startHint = 'Start one: `skilled run /<skill>`';

async function makeStore(folder: string, where: string): Promise<void> {
  const failed = (reason: string, hint: string, cause: unknown): AgentError =>
    new AgentError('sandbox.store', `Runs cannot be kept in ${folder}: ${reason}.`, { hint, cause });
  try {
    makeSkilledFolder(folder);
  } catch (thrown) {
    const hint = 'Work in a folder that can be written, or name another file, as in SKILLED_STORE=~/runs.db.';
    throw failed(whyUnwritable(folder, thrown), hint, thrown);
  }
  try {
    await createKnownStore(where);
  } catch (thrown) {
    if (isAgentError(thrown) && thrown.code === 'sandbox.store') throw thrown;
    const hint = `Set SKILLED_HOME to a folder of your own that can be written, or name the store: SKILLED_STORE=${shellWord(where)}`;
    throw failed(
      `it cannot be put on your list of stores, ${reasonOf(thrown)}`.replace(/\.$/, ''),
      hint,
      thrown,
    );
  }
}
