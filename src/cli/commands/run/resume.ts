import {
  AgentError,
  chosenOption,
  hasEnded,
  typedValue,
  type Approval,
  type OpenQuestion,
  type RunSummary,
} from '../../../core/index.ts';
import { foldRun } from '../../../views/index.ts';
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
import { continueRun } from '../../runs/continue-run.ts';
import { confirm, isConfirmable, tryToDecide } from '../../runs/decide.ts';
import { mustKnowSkill } from '../../runs/preconditions.ts';
import { approveCommand } from '../../runs/questions.ts';
import { findRun, readRunArg } from '../../runs/run-id.ts';
import { mustExist } from '../../runs/run-store.ts';

/** `skilled resume`: answers a waiting run and continues it, or resumes an interrupted one. */
export const resume: CliCommand = {
  summary: 'Answer a waiting run, or resume an interrupted one.',
  usage: `Usage: skilled resume <run> [answer...] [flags]

Without an answer, asks for one at a terminal, and otherwise prints the question. The
start of a run's id is enough, and "last" is the newest run. To choose an option, give its
number; - reads the answer from stdin, @<file> from a file. If another process works on
the run, follows it.

  skilled resume r_5f0c "to the left"

  --question <id>       the question to answer; default: the oldest
  --yes                 allow what it waits for and whatever else it asks about; with
                        --question, only that question
  --deny <reason>       deny what it waits for
  --take-over           take over the run from another process, which then stops
  --stream              with --json: every event from now on as a line of JSON
${modelFlagsHelp}`,
  options: {
    question: { type: 'string' },
    deny: { type: 'string' },
    'take-over': { type: 'boolean' },
    stream: { type: 'boolean' },
    ...modelFlags,
  },
  maxArgs: Infinity,
  async run(invocation) {
    const { flags, own, args } = invocation;
    const runArg = readRunArg(args);
    mustStream(invocation);
    mustDecideOnce(invocation);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store: await mustExist(flags, runArg),
      retentionDays: 0,
    });
    const run = await findRun(agent, runArg);
    const answer = args.length === 1 ? undefined : await readInput(args.slice(1), flags);
    const isGiven = answer !== undefined || flags.yes || own['deny'] !== undefined;
    if (hasEnded(run.status)) mustSayNothing(invocation, run);
    else {
      if (!isGiven) mustKnowSkill(agent, invocation, run);
      await speakTo(agent, invocation, run.id, answer);
    }
    return await continueRun({ agent, invocation, isSaid: isGiven || flags.safe }, run, run.seq);
  },
};

/**
 * Throws if the user sent an answer to a run that has ended, because the answer would be lost. Without an
 * answer, the run's result is printed again.
 */
function mustSayNothing({ own, args }: Invocation, { id, status }: RunSummary): void {
  if (args.length === 1 && own['deny'] === undefined && own['question'] === undefined) return;
  throw new AgentError('usage.bad-input', `Run ${id} has ended: ${status}.`, {
    hint: `Run it again: \`skilled rerun ${id}\``,
  });
}

function mustDecideOnce({ flags, own }: Invocation): void {
  if (!flags.yes || own['deny'] === undefined) return;
  throw new AgentError('usage.bad-input', '--yes and --deny cannot be used together.', {
    hint: 'Use only one of these flags.',
  });
}

/** Sends the user's answer and decision, if any, to an open run. */
async function speakTo(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  runId: string,
  answer: string | undefined,
): Promise<void> {
  const tree = foldRun(await agent.runs.events(runId));
  const open = tree.questions;
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
    else if (invocation.flags.yes && answer === undefined && isConfirmable(question, tree))
      await confirm(agent, invocation, runId, question);
  }
}

/** Finds a question by its id or an id prefix. Throws `usage.not-found` if none matches. */
function meantOf(
  runId: string,
  open: readonly OpenQuestion[],
  questionId: unknown,
): OpenQuestion | undefined {
  if (typeof questionId !== 'string') return undefined;
  const found = open.find(({ id }) => id === questionId) ?? open.find(({ id }) => id.startsWith(questionId));
  if (found !== undefined) return found;
  throw new AgentError('usage.not-found', `Run ${runId} has no open question ${questionId}.`, {
    hint: `List its questions: \`skilled runs show ${runId}\``,
  });
}

/** Throws if a text answer is given to an approval, because an approval needs a decision instead of text. */
function mustTakeAnswer(
  runId: string,
  question: OpenQuestion | undefined,
  open: readonly OpenQuestion[],
): void {
  const approval = question ?? open.find(({ kind }) => kind === 'approval');
  if (approval?.kind !== 'approval') return;
  const command = approveCommand({ runId, id: approval.id });
  throw new AgentError('usage.bad-input', `Run ${runId} is waiting for an approval, not for an answer.`, {
    hint: `Allow it once: \`${command}\`; deny it: \`${command} --deny "<reason>"\``,
  });
}

/**
 * Sends an answer, converted to the type that the question expects. If there is no question, the run itself
 * rejects the answer.
 */
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
