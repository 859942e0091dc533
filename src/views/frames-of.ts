import type { FrameNode, TreeNode } from './run-node.ts';

/** The frames of a tree, each before those that it called. */
export function* framesOf({ children }: { readonly children: readonly TreeNode[] }): Generator<FrameNode> {
  for (const child of children) {
    if (child.kind !== 'frame') continue;
    yield child;
    yield* framesOf(child);
  }
}
