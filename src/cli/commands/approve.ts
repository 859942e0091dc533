import { AgentError } from '../../core/error.ts';
import type { Command, Invocation } from '../command.ts';
import { modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { mustStream } from '../running/must-stream.ts';
import { decideAndGoOn } from './approve/decide.ts';
import { listPending } from './approve/list.ts';

/** `skilled approve`: what waits for a decision, and deciding it; the exit code is that of the run then. */
export const approve: Command = {
  summary: 'List what waits for a decision; allow or deny it.',
  usage: `Usage: skilled approve [--json]
       skilled approve <id> [--run | --always | --deny <reason>] [flags]

Alone it lists what the runs of this project wait for. With an id it allows that once, or
as a flag says, and goes on with the run as "skilled resume" does. An id is run/question;
the question is enough where it is the only one of its name, and so is a run that waits
for a single decision. The beginning of an id is enough.

  skilled approve r_5f0c2a9b7d31e844/q_91b7

  --run                 allow its rule for the rest of the run
  --always              allow its rule until the files of the skill change
  --deny <reason>       deny it; whoever called is told the reason
  --yes                 also allow once whatever else the run asks about
  --take-over           also while another process works on the run, which then stops
  --stream              with --json: every event from now on as a line of JSON
${modelFlagsHelp}`,
  options: {
    run: { type: 'boolean' },
    always: { type: 'boolean' },
    deny: { type: 'string' },
    'take-over': { type: 'boolean' },
    stream: { type: 'boolean' },
    ...modelFlags,
  },
  mostWords: 1,
  async run(invocation) {
    const [word] = invocation.words;
    mustStream(invocation);
    mustFit(invocation);
    return word === undefined ? listPending(invocation) : decideAndGoOn(invocation, word.trim());
  },
};

/** Flags that contradict each other, or that would be ignored, are mistakes. */
function mustFit({ flags, own, words }: Invocation): void {
  const said = ['run', 'always', 'deny'].filter((flag) => own[flag] !== undefined && own[flag] !== false);
  const [first, second] = said;
  const fail = (message: string, hint: string): never => {
    throw new AgentError('usage.bad-input', message, { hint });
  };
  if (second !== undefined)
    fail(`--${String(first)} and --${second} are different decisions.`, 'Leave out one.');
  if (flags.yes && first === 'deny') fail('--yes allows and --deny denies.', 'Leave out one.');
  if (words[0]?.trim() === '') fail('Name what is meant.', 'See what waits: `skilled approve`');
  if (words.length === 0) {
    const stray = flags.yes ? 'yes' : first;
    if (stray !== undefined)
      fail(`--${stray} needs the id of what is meant.`, 'See what waits: `skilled approve`');
  } else if (flags.safe && first !== 'deny')
    fail('--safe denies whatever needs approval.', 'Leave it out, or add --deny <reason>.');
}
