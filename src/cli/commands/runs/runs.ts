import { AgentError, didYouMean } from '../../../core/index.ts';
import type { CliCommand, Invocation } from '../../command-kit.ts';
import { listRuns } from './list.ts';
import { adoptRuns, cancelRuns, removeRuns } from './modify.ts';
import { exportRun, showRun } from './show.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  show: showRun,
  cancel: cancelRuns,
  rm: removeRuns,
  export: exportRun,
  adopt: adoptRuns,
};

/** `skilled runs`: the history of this project, and what can be done with it. */
export const runs: CliCommand = {
  summary: 'List the runs of this project; show, cancel, remove, export or adopt them.',
  usage: `Usage: skilled runs [--limit <number>] [--status <status>] [--session <id>] [--all] [--json]
       skilled runs show <run>
       skilled runs cancel <run>...
       skilled runs rm <run>... | --older <days>
       skilled runs export <run> [--output <file>]
       skilled runs adopt [path] [--yes]

The beginning of a run's id is enough everywhere; for show and export, "last" is the
newest run. Runs are kept in .skilled/skilled.db of the project, or where the
environment variable SKILLED_STORE says.

A .skilled/skilled.db that was not made here, such as one in a cloned project, is only
history: nothing in it waits, resumes or approves. Runs are kept in your own folder
instead, until "adopt" has shown you what is in it and you confirm.

  skilled runs --status failed,interrupted --limit 5

  --limit <number>   the newest ones; 20 unless given
  --status <status>  running, waiting, interrupted, done, failed or cancelled;
                     several with commas
  --session <id>     only those of this session
  --all              also those that prepare skills
  --older <days>     rm: all that ended longer ago than that
  --output <file>    export: write there instead of to stdout; - is stdout`,
  options: {
    limit: { type: 'string' },
    status: { type: 'string' },
    session: { type: 'string' },
    all: { type: 'boolean' },
    older: { type: 'string' },
    output: { type: 'string' },
  },
  mostWords: Infinity,
  async run(invocation) {
    const [name, ...words] = invocation.words;
    const action = name === undefined ? listRuns : Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name ?? '');
    mustBelong(invocation.own, name);
    return action({ ...invocation, words });
  },
};

/** The flags that only one action has; those of the list belong to no word. */
const owners: Readonly<Record<string, string | undefined>> = { older: 'rm', output: 'export' };

/** A flag that would be ignored is a mistake. */
function mustBelong(own: Invocation['own'], name: string | undefined): void {
  const stray = Object.keys(own).find((flag) => own[flag] !== undefined && owners[flag] !== name);
  if (stray === undefined) return;
  const place = ['skilled runs', owners[stray]].filter((word) => word !== undefined).join(' ');
  throw new AgentError('usage.bad-input', `--${stray} belongs to "${place}".`, { hint: 'Leave it out.' });
}

function noAction(name: string): AgentError {
  const near = didYouMean(name, Object.keys(actions));
  const hint = name.startsWith('r_')
    ? `To look at a run: \`skilled runs show ${name}\``
    : 'Say show, cancel, rm, export or adopt; alone it lists.';
  return new AgentError('usage.bad-input', `"skilled runs" cannot "${name}".`, { hint: near ?? hint });
}
