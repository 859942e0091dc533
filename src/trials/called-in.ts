import type { RecursiveSkilledAgent } from '../agent/recursive-skilled-agent.ts';
import type { TreeNode } from '../views/run-node.ts';
import { foldRun } from '../views/run-tree.ts';

/** The skills that were called in runs, of every depth and in the order of the tree, without the first of each run; refused calls are none. */
export async function calledIn(
  agent: RecursiveSkilledAgent,
  runIds: readonly string[],
): Promise<readonly string[]> {
  const calls: string[] = [];
  for (const runId of runIds) {
    const { children } = foldRun(await agent.runs.events(runId));
    for (const first of children) if (first.kind === 'frame') calls.push(...first.children.flatMap(namesIn));
  }
  return calls;
}

function namesIn(node: TreeNode): readonly string[] {
  return node.kind === 'refused' ? [] : [node.skill, ...node.children.flatMap(namesIn)];
}
