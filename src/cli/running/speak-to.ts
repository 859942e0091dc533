import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError } from '../../core/error.ts';
import type { Approval } from '../../core/policy.ts';
import { pendingOf } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import { typedValue } from '../../core/json/coerce.ts';
import { deniedBySafe } from '../without-asking.ts';
import { chosenOption, type OpenQuestion } from '../../core/run.ts';
import { tryToDecide } from './decide.ts';
import { approveCommand } from './decision-lines.ts';

/** Gives an open run what a command line says to it: an answer, a decision, both or nothing. */
export async function speakTo(
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
