import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { addUsage, noUsage, type Usage } from '../../../core/model.ts';
import { moneyText, tokensText } from '../../../views/text.ts';
import { foldRun } from '../../../views/run-tree.ts';

/** What the runs of a conversation used. */
export interface Bill {
  /** Notes what a run has used so far. */
  note(runId: string, used: Usage): void;
  /** All runs together, those of earlier times included. */
  total(): Promise<Total>;
}

/** A sum over runs. */
export interface Total {
  readonly runs: number;
  readonly used: Usage;
}

const mostRuns = 10_000;

/** The bill of a session; what was there before is read when it is first asked for, and never again. */
export function createBill(agent: RecursiveSkilledAgent, session: string): Bill {
  const noted = new Map<string, Usage>();
  let isRead = false;
  return {
    note: (runId, used) => void noted.set(runId, used),
    async total() {
      if (!isRead) await read();
      isRead = true;
      const all = [...noted.values()];
      return { runs: all.length, used: all.reduce(addUsage, noUsage) };
    },
  };

  async function read(): Promise<void> {
    for (const { id } of await agent.runs.list({ session, limit: mostRuns })) {
      if (!noted.has(id)) noted.set(id, foldRun(await agent.runs.events(id)).totalUsage);
    }
  }
}

/** Tokens, and money where it is known: `2,310 tok, $0.04`. */
export function usedText(usage: Usage): string {
  const money = usage.cost === undefined ? [] : [moneyText(usage.cost)];
  return [tokensText(usage), ...money].join(', ');
}
