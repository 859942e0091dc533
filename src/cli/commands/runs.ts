import { AgentError } from '../../core/error.ts';
import { didYouMean } from '../../core/names.ts';
import type { Command, Invocation } from '../command.ts';
import { cancelRuns } from './runs/cancel.ts';
import { exportRun } from './runs/export.ts';
import { listRuns } from './runs/list.ts';
import { removeRuns } from './runs/remove.ts';
import { showRun } from './runs/show.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  show: showRun,
  cancel: cancelRuns,
  rm: removeRuns,
  export: exportRun,
};

/** `skilled runs`: the history of this project, and what can be done with it. */
export const runs: Command = {
  summary: 'List the runs of this project; show, cancel, remove or export them.',
  usage: `Usage: skilled runs [--limit <number>] [--status <status>] [--session <id>] [--all] [--json]
       skilled runs show <run>
       skilled runs cancel <run>...
       skilled runs rm <run>... | --older <days>
       skilled runs export <run> [--output <file>]

The beginning of a run's id is enough everywhere.

  skilled runs --status failed,interrupted --limit 5

  --limit <number>   the newest ones; 20 unless given
  --status <status>  running, waiting, interrupted, done, failed or cancelled;
                     several with commas
  --session <id>     only those of this session
  --all              also those that prepare skills
  --older <days>     rm: all that ended longer ago than that
  --output <file>    export: write there instead of to stdout`,
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
    if (name === undefined) return listRuns(invocation);
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action !== undefined) return action({ ...invocation, words });
    throw new AgentError('usage.bad-input', `"skilled runs" cannot "${name}".`, {
      hint: didYouMean(name, Object.keys(actions)) ?? `To look at a run: skilled runs show ${name}`,
    });
  },
};
