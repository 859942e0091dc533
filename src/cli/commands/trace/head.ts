import type { RunStatus } from '../../../core/run.ts';
import { count } from '../../../doctor/count.ts';
import { durationText, moneyText, tokensText } from '../../../views/amounts.ts';
import type { RunTree } from '../../../views/run-tree.ts';
import { runColors } from '../../output/run.ts';
import { paint } from '../../output/status.ts';
import { oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';

/** A run in one line: id, status, length, and what it used in all; its log does not know that it was interrupted. */
export function headOf(tree: RunTree, status: RunStatus, now: number, terminal: Terminal): string {
  const { runId, counts, startedAt, totalUsage: usage } = tree;
  const parts = [
    `run ${runId}`,
    paint(status, runColors[status], terminal),
    count(counts.frames + counts.leafCalls, 'call'),
    durationText(now - startedAt),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    ...(tree.rerunOf === undefined ? [] : [`rerun of ${oneLine(tree.rerunOf)}`]),
  ];
  return parts.join(' · ');
}
