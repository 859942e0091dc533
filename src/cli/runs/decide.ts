import {
  toErrorData,
  type Approval,
  type ApprovalRequested,
  type OpenQuestion,
  type RunEvent,
} from '../../core/index.ts';
import type { RunTree } from '../../views/index.ts';
import { oneLine, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';
import { questionLines } from './questions.ts';

/** An object that makes decisions on the user's behalf. */
export interface Approver {
  /** Handles a new event. */
  see(event: RunEvent, tree: RunTree): void;
  /**
   * Waits until all requests are decided. Resolves to true if any request was decided since the last call.
   */
  settle(): Promise<boolean>;
}

/**
 * Creates an approver that implements `--yes`: it allows each request of a run once, confirms the typed
 * command if asked, and prints each decision. Without the flag, it only allows the call to the skill `typed`
 * that the user typed completely at this terminal.
 */
export function createApprover(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  typed?: string,
): Approver {
  let deciding: Promise<boolean>[] = [];
  const { flags, own } = invocation;
  // With `--question`, `--yes` applies only to that question, which has already been decided.
  const isAsked = flags.yes && own['question'] === undefined;
  return {
    see(event, tree) {
      if (typed !== undefined && isTypedCall(event, agent.skills.get(typed)?.name)) {
        const allowing = agent.runs.approve(event.runId, event.id, { allow: 'once' });
        deciding.push(isTaken(invocation, () => allowing));
        return;
      }
      if (!isAsked || (event.type !== 'approval.requested' && event.type !== 'input.requested')) return;
      const { runId } = event;
      const question = tree.questions.find(({ id }) => id === event.id);
      if (question === undefined) return;
      if (question.kind === 'input') {
        if (isConfirmable(question, tree)) deciding.push(confirm(agent, invocation, runId, question));
        return;
      }
      deciding.push(tryToDecide(agent, invocation, { runId, question, approval: { allow: 'once' } }));
    },
    async settle() {
      const decided = await Promise.all(deciding);
      deciding = [];
      return decided.includes(true);
    },
  };
}

/**
 * Whether an event asks about the run's first call, which the user typed. Code that needs trust, a changed tool
 * of a server, and processes without a sandbox are always asked about.
 */
function isTypedCall(event: RunEvent, typed: string | undefined): event is RunEvent & ApprovalRequested {
  if (event.type !== 'approval.requested' || event.frameId !== '') return false;
  const { skill, caller, each, version, pin } = event.asks;
  const isPlain = caller === undefined && each !== true && version === undefined && pin === undefined;
  return isPlain && typed !== undefined && skill === typed;
}

/**
 * Whether a question asks for confirmation of the typed command. Questions from nested calls never do.
 * Neither do questions from builds, because accepting a build's proposals can lose data.
 */
export function isConfirmable({ kind, path, options = [] }: OpenQuestion, { children }: RunTree): boolean {
  const isBuild = children.some((child) => child.kind === 'frame' && child.through === 'build');
  const isYesOrNo = options.join().toLowerCase() === 'yes,no';
  return kind === 'input' && path.length === 1 && isYesOrNo && !isBuild;
}

/** Answers yes to a confirmation and prints it. Resolves to true if the answer was accepted. */
export function confirm(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  runId: string,
  question: OpenQuestion,
): Promise<boolean> {
  const { flags, terminal } = invocation;
  return isTaken(invocation, async () => {
    await agent.runs.answer(runId, question.options?.[0] ?? 'yes', question.id);
    if (!flags.quiet) terminal.err(`confirmed: ${questionLines(question, terminal).join('\n')}\n`);
  });
}

/** A decision about one call. */
interface Verdict {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly approval: Approval;
}

/** Decides on one question and prints the decision. Rejects if the question can no longer be decided. */
export async function decide(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  { runId, question, approval }: Verdict,
): Promise<void> {
  await agent.runs.approve(runId, question.id, approval);
  const label = 'deny' in approval ? 'denied' : labels[approval.allow];
  if (!flags.quiet) terminal.err(`${label}: ${questionLines(question, terminal).join('\n')}\n`);
}

const labels = {
  once: 'allowed once',
  run: 'allowed for this run',
  version: 'allowed for this version',
} as const;

/**
 * Like `decide`, but returns false if the question can no longer be decided. Prints the reason, unless the
 * question was already decided elsewhere. Never rejects.
 */
export function tryToDecide(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  verdict: Verdict,
): Promise<boolean> {
  return isTaken(invocation, () => decide(agent, invocation, verdict));
}

async function isTaken({ flags, terminal }: Invocation, say: () => Promise<void>): Promise<boolean> {
  try {
    await say();
    return true;
  } catch (thrown) {
    const { code, message } = toErrorData(thrown);
    const isDecided = code === 'usage.not-found' || code === 'usage.bad-input';
    if (!isDecided && !flags.quiet) terminal.err(`not decided: ${oneLine(message)}\n`);
    return false;
  }
}
