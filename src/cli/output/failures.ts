import type { ErrorData } from '../../core/error.ts';
import type { Branch, RunTree } from '../../views/run-node.ts';

/** A call that failed or was refused. */
export interface Failure {
  /** From the first skill down to the one that failed. */
  readonly path: readonly string[];
  /** Absent for a call that was cut off. */
  readonly error?: ErrorData;
}

/** Where a run failed, each caller before its calls; also calls whose callers went on. Pure. */
export function failuresIn(tree: RunTree): readonly Failure[] {
  return [...below(tree, [])];
}

function* below({ children }: Pick<Branch, 'children'>, above: readonly string[]): Generator<Failure> {
  for (const node of children) {
    const path = [...above, node.skill];
    if (node.kind === 'refused') yield { path, error: node.error };
    else {
      const { output } = node;
      if (output?.status === 'failed') yield { path, error: output.error };
      else if (node.status === 'failed') yield { path };
      yield* below(node, path);
    }
  }
}
