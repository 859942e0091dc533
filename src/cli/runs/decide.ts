import { toErrorData, type Approval, type OpenQuestion, type RunEvent } from '../../core/index.ts';
import type { RunTree } from '../../views/index.ts';
import { oneLine, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';
import { questionLines } from './questions.ts';

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
      const { runId } = event;
      const question = tree.questions.find(({ id }) => id === event.id);
      if (question === undefined) return;
      deciding.push(tryToDecide(agent, invocation, { runId, question, approval: { allow: 'once' } }));
    },
    async settle() {
      const decided = await Promise.all(deciding);
      deciding = [];
      return decided.includes(true);
    },
  };
}

/** A decision about one call. */
interface Verdict {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly approval: Approval;
}

/** Decides one question and says so; rejects when it cannot be decided any more. */
export async function decide(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  { runId, question, approval }: Verdict,
): Promise<void> {
  await agent.runs.approve(runId, question.id, approval);
  const word = 'deny' in approval ? 'denied' : words[approval.allow];
  if (!flags.quiet) terminal.err(`${word}: ${questionLines(question, terminal).join('\n')}\n`);
}

const words = {
  once: 'allowed once',
  run: 'allowed for this run',
  version: 'allowed for this version',
} as const;

/** Like `decide`, but false when it cannot be decided any more; why is said unless somebody else was quicker. Never rejects. */
export async function tryToDecide(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  verdict: Verdict,
): Promise<boolean> {
  try {
    await decide(agent, invocation, verdict);
    return true;
  } catch (thrown) {
    const { code, message } = toErrorData(thrown);
    const isDecided = code === 'usage.not-found' || code === 'usage.bad-input';
    const { flags, terminal } = invocation;
    if (!isDecided && !flags.quiet) terminal.err(`not decided: ${oneLine(message)}\n`);
    return false;
  }
}
