import type { RunEvent } from '../core/event.ts';
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
  /** What is known of frames that did not begin yet, by id and in order: what happened in them, and their calls. */
  readonly early: Map<string, (EarlyEvent | BranchState)[]>;
  /** What comes now was taken over from an earlier run. */
  reuses: boolean;
}

/** Something that happened in a frame before its beginning was read. */
export interface EarlyEvent {
  readonly event: RunEvent;
  readonly isReused: boolean;
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
    artifacts: [],
    activities: [],
    children: [],
  };
}
