import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Approval, ApprovalRequest } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import type { RunTree } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import type { Asked } from './asked.ts';
import { questionLines } from './question-text.ts';

/** Decides in the place of a person. */
export interface Approver {
  /** Looks at something that happened just now. */
  see(event: RunEvent, tree: RunTree): void;
  /** Resolves when everything is decided, with whether anything was since the last time. */
  settle(): Promise<boolean>;
}

/** Allows once whatever a run asks about, as `--yes` says, and tells so; without that flag it does nothing. */
export function createApprover(agent: RecursiveSkilledAgent, invocation: Invocation): Approver {
  let deciding: Promise<boolean>[] = [];
  const { flags, own } = invocation;
  const isAsked = flags.yes && own['question'] === undefined; // a single question was decided before
  return {
    see(event, tree) {
      if (!isAsked || event.type !== 'approval.requested') return;
      const question = tree.questions.find(({ id }) => id === event.id);
      if (question !== undefined) {
        deciding.push(
          decide(agent, invocation, {
            runId: event.runId,
            question,
            asks: event.asks,
            approval: { allow: 'once' },
          }),
        );
      }
    },
    async settle() {
      const decided = await Promise.all(deciding);
      deciding = [];
      return decided.includes(true);
    },
  };
}

/** A decision about one call. */
export interface Verdict {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly asks: ApprovalRequest | undefined;
  readonly approval: Approval;
}

/** Decides one question and says so; false when somebody else did before. */
export async function decide(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  { runId, question, asks, approval }: Verdict,
): Promise<boolean> {
  try {
    await agent.runs.approve(runId, question.id, approval);
  } catch {
    return false;
  }
  const word = 'allow' in approval ? 'allowed once' : 'denied';
  const asked: Asked = new Map(asks === undefined ? [] : [[question.id, asks]]);
  const lines = questionLines(question, asked);
  if (!flags.quiet) terminal.err(`${word}: ${lines.join('\n')}\n`);
  return true;
}
