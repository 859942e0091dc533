import {
  AgentError,
  chosenOption,
  hasEnded,
  typedValue,
  type Approval,
  type OpenQuestion,
  type RunSummary,
} from '../../../core/index.ts';
import { pendingOf } from '../../../views/index.ts';
import {
  chosenModels,
  deniedBySafe,
  modelFlags,
  modelFlagsHelp,
  mustStream,
  openAgent,
  readInput,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { goOn } from '../../runs/continue-run.ts';
import { tryToDecide } from '../../runs/decide.ts';
import { mustKnowSkill } from '../../runs/preconditions.ts';
import { approveCommand } from '../../runs/questions.ts';
import { findRun, runWord } from '../../runs/run-id.ts';
import { mustExist } from '../../runs/run-store.ts';

/** `skilled resume`: answers a run that waits and goes on with it, or takes up one that was interrupted. */
export const resume: CliCommand = {
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

/** Gives an open run what a command line says to it: an answer, a decision, both or nothing. */
async function speakTo(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  runId: string,
  answer: string | undefined,
): Promise<void> {
  const open = pendingOf(await agent.runs.events(runId));
  const meant = meantOf(runId, open, invocation.own['question']);
  if (answer !== undefined) {
    const question = meant ?? open.find(({ kind }) => kind === 'input');
    mustTakeAnswer(runId, question, open);
    await give(agent, runId, question, answer);
  }
  const approval = approvalOf(invocation);
  if (approval === undefined) return;
  for (const question of meant === undefined ? open : [meant]) {
    if (question.kind === 'approval') await tryToDecide(agent, invocation, { runId, question, approval });
  }
}

/** The question that an id, or the beginning of one, stands for; throws `usage.not-found`. */
function meantOf(runId: string, open: readonly OpenQuestion[], word: unknown): OpenQuestion | undefined {
  if (typeof word !== 'string') return undefined;
  const found = open.find(({ id }) => id === word) ?? open.find(({ id }) => id.startsWith(word));
  if (found !== undefined) return found;
  throw new AgentError('usage.not-found', `Run ${runId} has no open question ${word}.`, {
    hint: `See those that it has: \`skilled runs show ${runId}\``,
  });
}

/** A decision is never made by words. */
function mustTakeAnswer(
  runId: string,
  question: OpenQuestion | undefined,
  open: readonly OpenQuestion[],
): void {
  const approval = question ?? open.find(({ kind }) => kind === 'approval');
  if (approval?.kind !== 'approval') return;
  const command = approveCommand({ runId, id: approval.id });
  throw new AgentError('usage.bad-input', `Run ${runId} waits for an approval, not for an answer.`, {
    hint: `Allow it once: \`${command}\`; deny it: \`${command} --deny "<reason>"\``,
  });
}

/** In the type that the question asks for; an answer without a question is refused by the run itself. */
async function give(
  agent: RecursiveSkilledAgent,
  runId: string,
  question: OpenQuestion | undefined,
  answer: string,
): Promise<void> {
  const meant = chosenOption(question ?? {}, answer);
  await agent.runs.answer(runId, typedValue('The answer', meant, question?.schema), question?.id);
}

function approvalOf({ flags, own }: Invocation): Approval | undefined {
  if (typeof own['deny'] === 'string') return { deny: own['deny'] };
  if (flags.safe) return { deny: deniedBySafe };
  return flags.yes ? { allow: 'once' } : undefined;
}
