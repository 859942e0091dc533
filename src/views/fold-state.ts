import { noUsage } from '../core/model.ts';
import type { BranchState } from './branch-state.ts';
import type { Growing } from './growing.ts';
import type { Branch, RunCounts, RunTree } from './run-node.ts';

/** The tree of a run while its log is read. */
export type GrowingTree = Growing<Omit<RunTree, 'counts'>> & { readonly counts: Growing<RunCounts> };

/** What a fold remembers from one event to the next. */
export interface FoldState {
  readonly tree: GrowingTree;
  readonly run: BranchState;
  /** By id; the run itself under the empty one. */
  readonly frames: Map<string, BranchState>;
}

/** A branch that has just begun. */
export function emptyBranch(startedAt: number): Growing<Branch> & { status: 'running' } {
  return {
    status: 'running',
    busy: true,
    startedAt,
    ownUsage: noUsage,
    totalUsage: noUsage,
    modelSteps: 0,
    notes: [],
    activities: [],
    children: [],
  };
}
