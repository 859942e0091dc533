import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { adoptStore, examineStore, type ExaminedStore } from '../../../config/storage/run-store.ts';
import { AgentError, counted } from '../../../core/index.ts';
import { oneLine, printJson, shellWord, wholeNumber, type Invocation } from '../../command-kit.ts';
import { mustName } from '../../runs/run-id.ts';
import { existingStore, mustExist, openHistory, storeLocation } from '../../runs/run-store.ts';

/** Cancels runs, including those of other processes. Runs that have already ended are only reported. */
export async function cancelRuns({ flags, args, terminal }: Invocation): Promise<number> {
  await using agent = openHistory(await mustExist(flags, mustName(args, 'cancel')));
  const cancelled: string[] = [];
  const ended: string[] = [];
  const found = await Promise.all(args.map((arg) => agent.runs.find(arg)));
  for (const { id } of found) {
    const isOpen = await agent.runs.cancel(id, 'The run was cancelled by "skilled runs cancel".');
    (isOpen ? cancelled : ended).push(id);
  }
  if (flags.json) printJson(terminal, { ok: true, cancelled, ended });
  else {
    for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
    if (!flags.quiet) for (const id of ended) terminal.err(`${id} had already ended.\n`);
  }
  return 0;
}

/** Removes runs and all their events: either the named runs, or all runs older than a number of days. */
export async function removeRuns(invocation: Invocation): Promise<number> {
  const { flags, own, args, terminal } = invocation;
  const days = wholeNumber(own, 'older');
  if (days !== undefined && args.length > 0) {
    throw new AgentError('usage.bad-input', 'Run ids and --older cannot be used together.', {
      hint: 'Use either run ids or --older.',
    });
  }
  const removed = days === undefined ? await removeNamed(invocation) : await removeOlder(invocation, days);
  if (flags.json) printJson(terminal, { ok: true, removed });
  else for (const id of removed) terminal.out(`removed ${id}\n`);
  if (!flags.json && !flags.quiet) terminal.err(`${counted(removed.length, 'run')} removed.\n`);
  return 0;
}

async function removeNamed({ flags, args }: Invocation): Promise<readonly string[]> {
  await using agent = openHistory(await mustExist(flags, mustName(args, 'rm')));
  const found = await Promise.all(args.map((arg) => agent.runs.find(arg)));
  const ids = [...new Set(found.map(({ id }) => id))];
  await agent.runs.remove(...ids);
  return ids;
}

const dayMs = 86_400_000;
const atOnce = 500; // The maximum number of ids in a database statement.

async function removeOlder({ flags }: Invocation, days: number): Promise<readonly string[]> {
  const store = existingStore(flags);
  if (store === undefined) return [];
  await using agent = openHistory(store);
  const query = { status: ['done', 'failed', 'cancelled'], preparations: true, limit: Infinity } as const;
  const before = Date.now() - days * dayMs;
  const old = (await agent.runs.list(query))
    .filter(({ updatedAt }) => updatedAt < before)
    .map(({ id }) => id);
  for (let start = 0; start < old.length; start += atOnce) {
    await agent.runs.remove(...old.slice(start, start + atOnce));
  }
  return old;
}

/** Shows the contents of a store that the user does not own, and adopts the store if the user confirms. */
export async function adoptRuns(invocation: Invocation): Promise<number> {
  const { flags, args, terminal } = invocation;
  const file = fileOf(invocation);
  const examined = await examineStore(file);
  if (examined === undefined) {
    if (flags.json) printJson(terminal, { ok: true, file, adopted: false });
    else if (!flags.quiet) terminal.err(`${oneLine(file)} is already yours.\n`);
    return 0;
  }
  if (!flags.json) terminal.out(describe(file, examined));
  const confirmed = await isConfirmed(invocation);
  if (confirmed === false) {
    terminal.out(`not adopted ${oneLine(file)}\n`);
    return 0;
  }
  if (confirmed === undefined) {
    const path = args[0] === undefined ? '' : ` ${shellWord(args[0])}`;
    throw new AgentError('usage.bad-input', `${file} was not adopted because you did not confirm.`, {
      hint: `If you made these runs, or trust the person who did: \`skilled runs adopt${path} --yes\``,
      details: {
        file,
        reason: examined.foreign.reason,
        contents: { ...examined.contents, waiting: examined.contents.waiting.map((run) => ({ ...run })) },
      },
    });
  }
  const moved = await adoptStore(examined);
  if (flags.json) printJson(terminal, { ok: true, file, adopted: true, contents: examined.contents, moved });
  else {
    terminal.out(`adopted ${oneLine(file)}\n`);
    if (moved > 0 && !flags.quiet) terminal.err(`${counted(moved, 'run')} of yours moved into it.\n`);
  }
  return 0;
}

/**
 * Returns the store to adopt: this project's store, or the store in the named folder. The store must have the
 * standard file name and location.
 */
function fileOf({ flags, args }: Invocation): string {
  const [arg, extra] = args;
  if (extra !== undefined)
    throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, {
      hint: 'Run `skilled runs adopt [path]`.',
    });
  const path = arg === undefined ? undefined : resolve(flags.cwd, arg);
  if (path !== undefined && basename(path) === 'skilled.db' && basename(dirname(path)) === '.skilled')
    return path;
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return join(path, '.skilled', 'skilled.db');
  if (path !== undefined)
    throw new AgentError('usage.not-found', `${path} is not a workspace.`, {
      hint: 'Name a folder that has .skilled/skilled.db; to use a store elsewhere, set SKILLED_STORE.',
    });
  const { where, folder, foreign } = storeLocation(flags);
  if (foreign !== undefined || folder !== undefined) return foreign?.file ?? where;
  throw new AgentError(
    'usage.bad-input',
    'The store is set by SKILLED_STORE or a setting, so it is already in use.',
    {
      hint: 'To adopt another one, name its workspace: `skilled runs adopt <path>`',
    },
  );
}

function describe(file: string, { foreign, contents }: ExaminedStore): string {
  const { runs, waiting, unfinished, approvals, answers, memories } = contents;
  const lines = [
    oneLine(file),
    `  ${oneLine(foreign.reason)}`,
    `  ${counted(runs, 'run')}, ${waiting.length} waiting, ${unfinished} unfinished`,
    `  ${counted(approvals, 'approval')} in open runs, ${counted(answers, 'answer')} not used yet, ${counted(memories, 'value')} in session memory`,
    ...waiting.map(({ id, skill, title }) => `  waiting: ${oneLine(`${id} ${skill} ${title}`)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns whether the user confirms, or undefined if there is no answer. */
async function isConfirmed({ flags, terminal }: Invocation): Promise<boolean | undefined> {
  if (flags.yes) return true;
  if (flags.json || terminal.ask === undefined) return undefined;
  terminal.err('Once adopted, you can answer its questions, and its approvals count.\n');
  const answer = await terminal.ask('Did you make these runs, or do you trust the person who did? [y/N] ');
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
}
