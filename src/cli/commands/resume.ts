import { AgentError } from '../../core/error.ts';
import type { RunHandle } from '../../core/run-handle.ts';
import type { Command, Invocation } from '../command.ts';
import { readInput } from '../input.ts';
import { openAgent } from '../open-agent.ts';
import { mustExist } from '../run-store.ts';
import { mustStream } from '../running/must-stream.ts';
import { seeThrough } from '../running/see-through.ts';
import { speakTo } from '../running/speak-to.ts';

/** `skilled resume`: answers a run that waits and goes on with it, or takes up one that was interrupted. */
export const resume: Command = {
  summary: 'Answer a run that waits, or take up one that was interrupted.',
  usage: `Usage: skilled resume <run> [answer...] [flags]

Without an answer it is asked for at a terminal; elsewhere the question is printed.
The beginning of a run's id is enough; - reads the answer from stdin, @<file> from a file.

  skilled resume r_5f0c "to the left"

  --question <id>  the question that is meant; the oldest unless given
  --yes            allow what it waits for, and whatever else it asks about; with
                   --question only that
  --deny <reason>  deny what it waits for
  --take-over      also while another process works on it, which then stops
  --stream         with --json: every event from now on as a line of JSON`,
  options: {
    question: { type: 'string' },
    deny: { type: 'string' },
    'take-over': { type: 'boolean' },
    stream: { type: 'boolean' },
  },
  mostWords: Infinity,
  async run(invocation) {
    const { flags, own, words } = invocation;
    const [id, ...answer] = words;
    if (id === undefined)
      throw new AgentError('usage.bad-input', 'Name a run.', { hint: 'List them: skilled runs' });
    mustStream(invocation);
    await using agent = await openAgent(flags, { store: mustExist(flags, id), retentionDays: 0 });
    const { id: runId, status, seq: known } = await agent.runs.find(id);
    const isEnded = status === 'done' || status === 'failed' || status === 'cancelled';
    if (isEnded) mustSayNothing(invocation, runId, status);
    else {
      const said = answer.length === 0 ? undefined : await readInput(answer, flags);
      await speakTo(agent, invocation, runId, said);
    }
    const takeOver = own['take-over'] === true;
    const begin = (signal: AbortSignal): RunHandle => agent.runs.resume(runId, { signal, takeOver });
    return await seeThrough({ agent, invocation, begin, known });
  },
};

/** What is said to a run that has ended would be lost; without a word only its result is told again. */
function mustSayNothing({ own, words }: Invocation, runId: string, status: string): void {
  if (words.length === 1 && own['deny'] === undefined && own['question'] === undefined) return;
  throw new AgentError('usage.bad-input', `Run ${runId} has ended: ${status}.`, {
    hint: `Run it anew: skilled rerun ${runId}`,
  });
}
