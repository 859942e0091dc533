import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { adoptStore, examineStore, type ExaminedStore } from '../../../config/storage/run-store.ts';
import { AgentError } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import { oneLine, printJson, shellWord, wholeNumber, type Invocation } from '../../command-kit.ts';
import { mustName } from '../../runs/run-id.ts';
import { existingStore, mustExist, openHistory, placeOf } from '../../runs/run-store.ts';

/** Ends runs wherever they go on; those that had ended before are only said. */
export async function cancelRuns({ flags, words, terminal }: Invocation): Promise<number> {
  await using agent = openHistory(await mustExist(flags, mustName(words, 'cancel')));
  const cancelled: string[] = [];
  const ended: string[] = [];
  const found = await Promise.all(words.map((word) => agent.runs.find(word)));
  for (const { id } of found) {
    const isOpen = await agent.runs.cancel(id, 'The run was cancelled by "skilled runs cancel".');
    (isOpen ? cancelled : ended).push(id);
  }
  if (flags.json) printJson(terminal, { ok: true, cancelled, ended });
  else {
    for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
    if (!flags.quiet) for (const id of ended) terminal.err(`${id} had ended before.\n`);
  }
  return 0;
}

/** Forgets runs with all their events: those that are named, or all that ended long ago. */
export async function removeRuns(invocation: Invocation): Promise<number> {
  const { flags, own, words, terminal } = invocation;
  const days = wholeNumber(own, 'older');
  if (days !== undefined && words.length > 0) {
    throw new AgentError('usage.bad-input', 'Name runs or give --older, not both.', {
      hint: 'Leave out one.',
    });
  }
  const removed = days === undefined ? await removeNamed(invocation) : await removeOlder(invocation, days);
  if (flags.json) printJson(terminal, { ok: true, removed });
  else for (const id of removed) terminal.out(`removed ${id}\n`);
  if (!flags.json && !flags.quiet) terminal.err(`${count(removed.length, 'run')} removed.\n`);
  return 0;
}

async function removeNamed({ flags, words }: Invocation): Promise<readonly string[]> {
  await using agent = openHistory(await mustExist(flags, mustName(words, 'rm')));
  const found = await Promise.all(words.map((word) => agent.runs.find(word)));
  const ids = [...new Set(found.map(({ id }) => id))];
  await agent.runs.remove(...ids);
  return ids;
}

const dayMs = 86_400_000;
const atOnce = 500; // databases take only so many ids in one statement

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

/** Shows what a foreign store in a workspace holds and, once that is confirmed, makes it the user's own. */
export async function adoptRuns(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const file = fileOf(invocation);
  const examined = await examineStore(file);
  if (examined === undefined) {
    if (flags.json) printJson(terminal, { ok: true, file, adopted: false });
    else if (!flags.quiet) terminal.err(`${oneLine(file)} is yours already.\n`);
    return 0;
  }
  if (!flags.json) terminal.out(describe(file, examined));
  if (!(await isConfirmed(invocation))) {
    const path = words[0] === undefined ? '' : ` ${shellWord(words[0])}`;
    throw new AgentError('usage.bad-input', `${file} was not adopted: nobody confirmed it.`, {
      hint: `If you made these runs, or trust who did: \`skilled runs adopt${path} --yes\``,
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
    if (moved > 0 && !flags.quiet) terminal.err(`${count(moved, 'run')} of yours moved into it.\n`);
  }
  return 0;
}

/** The store that is meant: of this project, or of the folder that is named; a file must be where stores are found. */
function fileOf({ flags, words }: Invocation): string {
  const [word, extra] = words;
  if (extra !== undefined)
    throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, {
      hint: 'Write `skilled runs adopt [path]`.',
    });
  const path = word === undefined ? undefined : resolve(flags.cwd, word);
  if (path !== undefined && basename(path) === 'skilled.db' && basename(dirname(path)) === '.skilled')
    return path;
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return join(path, '.skilled', 'skilled.db');
  if (path !== undefined)
    throw new AgentError('usage.not-found', `${path} is not a workspace.`, {
      hint: 'Name a folder that has .skilled/skilled.db; a store elsewhere is used by its name, in SKILLED_STORE.',
    });
  const { where, folder, foreign } = placeOf(flags);
  if (foreign !== undefined || folder !== undefined) return foreign?.file ?? where;
  throw new AgentError(
    'usage.bad-input',
    'The store is named by SKILLED_STORE or a setting, so it is used already.',
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
    `  ${count(runs, 'run')}, ${waiting.length} waiting, ${unfinished} unfinished`,
    `  ${count(approvals, 'approval')} in open runs, ${count(answers, 'answer')} not used yet, ${count(memories, 'value')} that sessions remember`,
    ...waiting.map(({ id, skill, title }) => `  waits: ${oneLine(`${id} ${skill} ${title}`)}`),
  ];
  return `${lines.join('\n')}\n`;
}

async function isConfirmed({ flags, terminal }: Invocation): Promise<boolean> {
  if (flags.yes) return true;
  if (flags.json || terminal.ask === undefined) return false;
  terminal.err('Once adopted, its questions take your answers and its approvals count.\n');
  const answer = await terminal.ask('Did you make these runs, or do you trust who did? [y/N] ');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
