import { durationText } from '../../views/text.ts';
import type { RunTree } from '../../views/run-node.ts';
import { workedMs } from '../../views/usage.ts';

const second = 1_000;

/** How long a run was worked on, with the time from its beginning where that is another one. Pure. */
export function runTimeText(tree: RunTree, now: number): string {
  const worked = workedMs(tree, now);
  const whole = (tree.endedAt ?? now) - tree.startedAt;
  if (whole - worked <= second) return durationText(worked);
  return `${durationText(worked)} at work, ${durationText(whole)} in all`;
}
