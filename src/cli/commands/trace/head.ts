import type { RunStatus } from '../../../core/run.ts';
import { count } from '../../../doctor/report.ts';
import { moneyText, tokensText } from '../../../views/text.ts';
import { framesOf, type RunTree } from '../../../views/run-node.ts';
import { runColors } from '../../output/run.ts';
import { runTimeText } from '../../output/run-time.ts';
import { paint } from '../../output/status.ts';
import { cutTo, oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';

/** A run in one line: id, status, time, and what it used in all; its log does not know that it was interrupted. */
export function headOf(tree: RunTree, status: RunStatus, now: number, terminal: Terminal): string {
  const { runId, counts, totalUsage: usage } = tree;
  const reused = [...framesOf(tree)].filter((frame) => frame.reused === true).length;
  const parts = [
    `run ${runId}`,
    status,
    count(counts.frames + counts.leafCalls, 'call'),
    ...(reused === 0 ? [] : [`${reused} reused`]),
    runTimeText(tree, now),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    ...(tree.rerunOf === undefined ? [] : [`rerun of ${oneLine(tree.rerunOf)}`]),
  ];
  const line = cutTo(parts.join(' · '), terminal.width ?? Infinity);
  return line.replace(` ${status} `, ` ${paint(status, runColors[status], terminal)} `);
}
