import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { RunTree } from '../../views/run-node.ts';
import type { Invocation } from '../command.ts';
import { tryToDecide } from './decide.ts';

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
