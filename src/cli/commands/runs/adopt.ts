import { basename, dirname, join, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { adoptStore, examineStore, type ExaminedStore } from '../../../config/storage/run-store.ts';
import { AgentError } from '../../../core/error.ts';
import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { placeOf } from '../../run-store.ts';
import { shellWord } from '../../shell-word.ts';

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
