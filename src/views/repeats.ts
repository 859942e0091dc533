import type { FrameNode, TreeNode } from './run-node.ts';

/** Siblings that share a line. */
export interface Row {
  readonly first: TreeNode;
  /** They have ended, have nothing below them and differ from the first in nothing but input and outcome. */
  readonly repeats: readonly TreeNode[];
}

const fewest = 3;

/** Siblings in rows: more than three alike that follow each other share one, all others stand alone. */
export function rowsOf(siblings: readonly TreeNode[]): readonly Row[] {
  const rows: { first: TreeNode; repeats: TreeNode[] }[] = [];
  for (const node of siblings) {
    const last = rows.at(-1);
    if (last !== undefined && isAlike(last.first, node)) last.repeats.push(node);
    else rows.push({ first: node, repeats: [] });
  }
  return rows.flatMap(({ first, repeats }) =>
    repeats.length >= fewest ? [{ first, repeats }] : [first, ...repeats].map(alone),
  );
}

function isAlike(one: TreeNode, other: TreeNode): boolean {
  if (one.skill !== other.skill) return false;
  if (one.kind === 'refused') return other.kind === 'refused' && one.error.code === other.error.code;
  return isFoldable(one) && isFoldable(other) && one.reused === other.reused;
}

function isFoldable(node: TreeNode): node is FrameNode {
  return node.kind === 'frame' && node.leaf && node.endedAt !== undefined && node.children.length === 0;
}

function alone(first: TreeNode): Row {
  return { first, repeats: [] };
}
