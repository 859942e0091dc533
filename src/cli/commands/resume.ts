import { AgentError } from '../../core/error.ts';
import { hasEnded } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import type { Command, Invocation } from '../command.ts';
import { findRun, runWord } from '../find-run.ts';
import { readInput } from '../input.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { mustExist } from '../run-store.ts';
import { goOn } from '../running/go-on.ts';
import { mustKnowSkill } from '../running/must-know-skill.ts';
import { mustStream } from '../running/must-stream.ts';
import { speakTo } from '../running/speak-to.ts';

/** `skilled resume`: answers a run that waits and goes on with it, or takes up one that was interrupted. */
export const resume: Command = {
  summary: 'Answer a run that waits, or take up one that was interrupted.',
  usage: `Usage: skilled resume <run> [answer...] [flags]

Without an answer it is asked for at a terminal; elsewhere the question is printed.
The beginning of a run's id is enough, and "last" is the newest run. The number of an
option stands for it; - reads the answer from stdin, @<file> from a file. A run that
another process works on is followed.

  skilled resume r_5f0c "to the left"

  --question <id>       the question that is meant; the oldest unless given
  --yes                 allow what it waits for, and whatever else it asks about; with
                        --question only that
  --deny <reason>       deny what it waits for
  --take-over           also while another process works on it, which then stops
  --stream              with --json: every event from now on as a line of JSON
${modelFlagsHelp}`,
  options: {
    question: { type: 'string' },
    deny: { type: 'string' },
    'take-over': { type: 'boolean' },
    stream: { type: 'boolean' },
    ...modelFlags,
  },
  mostWords: Infinity,
  async run(invocation) {
    const { flags, own, words } = invocation;
    const word = runWord(words);
    mustStream(invocation);
    mustDecideOnce(invocation);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store: await mustExist(flags, word),
      retentionDays: 0,
    });
    const run = await findRun(agent, word);
    const answer = words.length === 1 ? undefined : await readInput(words.slice(1), flags);
    const isGiven = answer !== undefined || flags.yes || own['deny'] !== undefined;
    if (hasEnded(run.status)) mustSayNothing(invocation, run);
    else {
      if (!isGiven) mustKnowSkill(agent, invocation, run);
      await speakTo(agent, invocation, run.id, answer);
    }
    return await goOn({ agent, invocation, isSaid: isGiven || flags.safe }, run, run.seq);
  },
};

/** What is said to a run that has ended would be lost; without a word only its result is told again. */
function mustSayNothing({ own, words }: Invocation, { id, status }: RunSummary): void {
  if (words.length === 1 && own['deny'] === undefined && own['question'] === undefined) return;
  throw new AgentError('usage.bad-input', `Run ${id} has ended: ${status}.`, {
    hint: `Run it anew: \`skilled rerun ${id}\``,
  });
}

function mustDecideOnce({ flags, own }: Invocation): void {
  if (!flags.yes || own['deny'] === undefined) return;
  throw new AgentError('usage.bad-input', '--yes allows and --deny denies.', { hint: 'Leave out one.' });
}
