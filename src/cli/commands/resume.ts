import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError } from '../../core/error.ts';
import type { RunHandle } from '../../core/run-handle.ts';
import { hasEnded } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import { resultOf } from '../../views/run-result.ts';
import { foldRun } from '../../views/run-tree.ts';
import type { Command, Invocation } from '../command.ts';
import { findRun, runWord } from '../find-run.ts';
import { readInput } from '../input.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { eventLine } from '../output/json.ts';
import { mustExist } from '../run-store.ts';
import { askedIn } from '../running/asked.ts';
import { conclude } from '../running/conclude.ts';
import { followElsewhere } from '../running/follow-elsewhere.ts';
import { knowsSkill, unknownSkill } from '../running/must-know-skill.ts';
import { mustStream } from '../running/must-stream.ts';
import { seeThrough } from '../running/see-through.ts';
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
      store: mustExist(flags, word),
      retentionDays: 0,
    });
    const run = await findRun(agent, word);
    const answer = words.length === 1 ? undefined : await readInput(words.slice(1), flags);
    const isGiven = answer !== undefined || flags.yes || own['deny'] !== undefined;
    if (hasEnded(run.status)) mustSayNothing(invocation, run);
    else {
      if (!isGiven) mustKnow(agent, invocation, run);
      await speakTo(agent, invocation, run.id, answer);
    }
    return await goOn({ agent, invocation, isSaid: isGiven || flags.safe }, run, run.seq);
  },
};

interface Work {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Something was said to the run. */
  readonly isSaid: boolean;
}

/** Follows a run while another process works on it, then works on it, or tells how it stands; returns the exit code. */
async function goOn(work: Work, run: RunSummary, known: number): Promise<number> {
  const { agent, invocation, isSaid } = work;
  const takeOver = invocation.own['take-over'] === true;
  if (run.status === 'running' && !takeOver) {
    const { tree, known: seen, isStopped } = await followElsewhere(agent, invocation, run, known);
    if (!isStopped) return goOn(work, await agent.runs.find(run.id), seen);
    const asked = askedIn(await agent.runs.events(run.id));
    const result = { ...resultOf(tree), ok: false, status: 'running' } as const;
    return conclude({ result, tree, asked, isToldToEnd: false }, invocation);
  }
  const isStill = hasEnded(run.status) || run.status === 'waiting';
  if (!hasEnded(run.status)) mustKnow(agent, invocation, run, isSaid);
  if (run.status === 'waiting' && !isSaid && (await mustDecide(work, run))) return tell(work, run);
  const begin = (signal: AbortSignal): RunHandle => agent.runs.resume(run.id, { signal, takeOver });
  // Of a run that stands still the last event says how; whoever streams gets that.
  return seeThrough({
    agent,
    invocation,
    begin,
    known: isStill && !isSaid ? Math.min(known, run.seq - 1) : known,
  });
}

/** A run of a skill that only another program knows is not touched; one that is worked on elsewhere can be followed. */
function mustKnow(agent: RecursiveSkilledAgent, { own }: Invocation, run: RunSummary, isSaid = false): void {
  const isFollowed = run.status === 'running' && own['take-over'] !== true;
  if (!isFollowed && !knowsSkill(agent, run)) throw unknownSkill(run, 'resume', isSaid);
}

/** Whether a run waits for a decision that nobody who is here makes; taking it up would only ask again. */
async function mustDecide({ agent, invocation }: Work, { id }: RunSummary): Promise<boolean> {
  if (invocation.terminal.ask !== undefined && !invocation.flags.json) return false;
  const { questions } = foldRun(await agent.runs.events(id));
  return questions.some(({ kind }) => kind === 'approval');
}

/** Prints what a run waits for, and leaves it as it is. */
async function tell({ agent, invocation }: Work, { id }: RunSummary): Promise<number> {
  const { flags, own, terminal } = invocation;
  const events = await agent.runs.events(id);
  const tree = foldRun(events);
  const last = events.at(-1);
  const isStreamed = flags.json && own['stream'] === true && last !== undefined;
  if (isStreamed) terminal.out(eventLine(last));
  return conclude(
    { result: resultOf(tree), tree, asked: askedIn(events), isToldToEnd: isStreamed },
    invocation,
  );
}

/** What is said to a run that has ended would be lost; without a word only its result is told again. */
function mustSayNothing({ own, words }: Invocation, { id, status }: RunSummary): void {
  if (words.length === 1 && own['deny'] === undefined && own['question'] === undefined) return;
  throw new AgentError('usage.bad-input', `Run ${id} has ended: ${status}.`, {
    hint: `Run it anew: skilled rerun ${id}`,
  });
}

function mustDecideOnce({ flags, own }: Invocation): void {
  if (!flags.yes || own['deny'] === undefined) return;
  throw new AgentError('usage.bad-input', '--yes allows and --deny denies.', { hint: 'Leave out one.' });
}
