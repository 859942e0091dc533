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

/** `skilled runs`: shows this project's run history and manages its runs. */
export const runs: CliCommand = {
  summary: 'List the runs of this project; show, cancel, remove, export or adopt them.',
  usage: `Usage: skilled runs [--limit <number>] [--status <status>] [--session <id>] [--all] [--json]
       skilled runs show <run>
       skilled runs cancel <run>...
       skilled runs rm <run>... | --older <days>
       skilled runs export <run> [--output <file>]
       skilled runs adopt [path] [--yes]

The start of a run's id is always enough; for show and export, "last" is the newest run.
Runs are stored in .skilled/skilled.db of the project, or in the file or database that
SKILLED_STORE names.

A .skilled/skilled.db that was not created here, such as one in a cloned project, is
read-only: you cannot answer, resume or approve its runs. New runs are stored in your own
folder instead, until "adopt" has shown you its contents and you confirm.

  skilled runs --status failed,interrupted --limit 5

  --limit <number>   number of newest runs; default 20
  --status <status>  running, waiting, interrupted, done, failed or cancelled;
                     separate several with commas
  --session <id>     only runs of this session
  --all              also runs that prepare skills
  --older <days>     rm: all runs that ended longer ago than this
  --output <file>    export: write to this file; - is stdout`,
  options: {
    limit: { type: 'string' },
    status: { type: 'string' },
    session: { type: 'string' },
    all: { type: 'boolean' },
    older: { type: 'string' },
    output: { type: 'string' },
  },
  maxArgs: Infinity,
  async run(invocation) {
    const [name, ...args] = invocation.args;
    const action = name === undefined ? listRuns : Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name ?? '');
    mustBelong(invocation.own, name);
    return action({ ...invocation, args });
  },
};

/** The action that each flag belongs to. Flags for listing runs have no entry. */
const owners: Readonly<Record<string, string | undefined>> = { older: 'rm', output: 'export' };

/** Throws if a flag does not belong to the action, because the action would ignore it. */
function mustBelong(own: Invocation['own'], name: string | undefined): void {
  const stray = Object.keys(own).find((flag) => own[flag] !== undefined && owners[flag] !== name);
  if (stray === undefined) return;
  const command = ['skilled runs', owners[stray]].filter((part) => part !== undefined).join(' ');
  throw new AgentError('usage.bad-input', `--${stray} belongs to "${command}".`, { hint: 'Leave it out.' });
}

function noAction(name: string): AgentError {
  const near = didYouMean(name, Object.keys(actions));
  const hint = name.startsWith('r_')
    ? `To show a run: \`skilled runs show ${name}\``
    : 'Use show, cancel, rm, export or adopt. To list runs, leave out the action.';
  return new AgentError('usage.bad-input', `"skilled runs" has no action "${name}".`, { hint: near ?? hint });
}
