import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { AgentError, isAgentError } from '../../../core/error.ts';
import type { Approval } from '../../../core/policy.ts';
import type { Invocation } from '../../command.ts';
import { chosenModels } from '../../model-flags.ts';
import { openAgent } from '../../open-agent.ts';
import { mustExist } from '../../run-store.ts';
import { decide } from '../../running/decide.ts';
import type { Undecided } from '../../running/decision-lines.ts';
import { findPending } from '../../running/find-pending.ts';
import { goOn } from '../../running/go-on.ts';
import { longerLeave } from '../../running/longer-leave.ts';
import { noLongerLeave } from '../../running/no-longer-leave.ts';
import { pendingQuestion } from '../../running/pending-question.ts';

/** Decides what a word names and goes on with its run; returns the exit code of the run. */
export async function decideAndGoOn(invocation: Invocation, word: string): Promise<number> {
  const { flags } = invocation;
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store: await mustExist(flags, word.split('/')[0] ?? word),
    retentionDays: 0,
  });
  const pending = findPending(await agent.runs.pending(), word);
  const { runId } = pending;
  const run = await agent.runs.find(runId);
  const approval = approvalOf(agent, invocation, pending);
  try {
    await decide(agent, invocation, { runId, question: pendingQuestion(pending), approval });
  } catch (thrown) {
    throw isAgentError(thrown) ? withNextStep(thrown, `skilled resume ${runId}`) : thrown;
  }
  return await goOn({ agent, invocation, isSaid: true }, run, run.seq);
}

function approvalOf(agent: RecursiveSkilledAgent, invocation: Invocation, undecided: Undecided): Approval {
  const { own } = invocation;
  if (typeof own['deny'] === 'string') return { deny: own['deny'] };
  const flag = own['always'] === true ? '--always' : own['run'] === true ? '--run' : undefined;
  if (flag === undefined) return { allow: 'once' };
  const leave = longerLeave(undecided.asks).find((one) => one.flag === flag);
  if (leave === undefined) throw noLongerLeave(agent, undecided, flag, invocation.flags);
  return { allow: leave.allow };
}

/** A decision that came too late, or about files that changed, leaves a run that can be taken up. */
function withNextStep(error: AgentError, command: string): AgentError {
  const { code, message, hint } = error;
  if (code !== 'policy.expired' && code !== 'skill.changed') return error;
  return new AgentError(code, message, { hint: `${hint ?? 'Resume the run.'} \`${command}\``, cause: error });
}
