import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import type { Activity, Branch, FrameNode, Growing, RunCounts, RunTree } from './run-node.ts';

/** The tree of a run, as far as its log has been read. */
export type GrowingTree = Growing<Omit<RunTree, 'counts'>> & { readonly counts: Growing<RunCounts> };

/** The state that is kept between two events while a log is being read. */
export interface FoldState {
  readonly tree: GrowingTree;
  readonly run: BranchState;
  /** Branches, keyed by frame id. The id of the run itself is an empty string. */
  readonly frames: Map<string, BranchState>;
  /** Events and calls of frames that have not started yet, keyed by frame id and in the order of the log. */
  readonly early: Map<string, (EarlyEvent | BranchState)[]>;
  /** Whether the current events were copied from an earlier run. */
  reuses: boolean;
}

/** An event whose frame has not started yet. */
export interface EarlyEvent {
  readonly event: RunEvent;
  readonly isReused: boolean;
}

/** Creates the node for a branch that has just started. */
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

/** A branch while a log is being read, with everything that determines its status. */
export interface BranchState {
  readonly node: Growing<Branch>;
  /** The calling branch. Absent for the run. It can change if the caller's events come later in the log. */
  caller?: BranchState;
  /** The name of the frame's skill. Empty for the run. */
  readonly skill: string;
  /** The open activities, keyed by kind and key. */
  readonly open: Map<string, Growing<Activity>>;
  /** The number of open activities of each kind. */
  readonly openOf: Record<Activity['kind'], number>;
  /** The number of the branch's calls with each status. */
  readonly calls: Record<Branch['status'], number>;
}

/** Creates the state of a branch without events. Counts the branch as a running call of its caller. */
export function createBranchState(node: Growing<Branch>, skill: string, caller?: BranchState): BranchState {
  const state = {
    node,
    skill,
    open: new Map<string, Growing<Activity>>(),
    openOf: { model: 0, step: 0, prepare: 0, input: 0, approval: 0 },
    calls: { running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 },
  };
  if (caller === undefined) return state;
  caller.calls.running += 1;
  settle(caller);
  return { ...state, caller };
}

/** Returns the names of the skills from the first frame down to this branch. */
export function pathOf({ skill, caller }: BranchState): readonly string[] {
  return caller === undefined ? [] : [...pathOf(caller), skill];
}

/**
 * Moves a branch to its actual caller, which started later in the log. Does nothing if this would create a
 * cycle.
 */
export function adopt(caller: BranchState, branch: BranchState): void {
  const { caller: before } = branch;
  const node = branch.node as Growing<FrameNode>; // Only frames have callers.
  if (before === undefined || isBelow(caller, branch)) return;
  before.node.children = before.node.children.filter((child) => child !== node);
  before.calls[node.status] -= 1;
  caller.calls[node.status] += 1;
  caller.node.children.push(node);
  branch.caller = caller;
  for (let above = caller; above !== before && above.caller !== undefined; above = above.caller) {
    above.node.totalUsage = addUsage(above.node.totalUsage, node.totalUsage);
  }
  settle(before);
  settle(caller);
}

function isBelow(state: BranchState, other: BranchState): boolean {
  for (let branch: BranchState | undefined = state; branch !== undefined; branch = branch.caller) {
    if (branch === other) return true;
  }
  return false;
}

/** Adds usage to a branch and to all branches above it. */
export function charge(state: BranchState, usage: Usage): void {
  state.node.ownUsage = addUsage(state.node.ownUsage, usage);
  for (let branch: BranchState | undefined = state; branch !== undefined; branch = branch.caller) {
    branch.node.totalUsage = addUsage(branch.node.totalUsage, usage);
  }
}

/** Whether a branch has not ended. */
export function isOpen({ node }: BranchState): boolean {
  return node.endedAt === undefined;
}

/** Ends a branch and everything in it that is still open. */
export function endBranch(state: BranchState, status: Branch['status'], at: number): void {
  state.node.endedAt ??= at;
  state.node.busy = false;
  for (const activity of state.open.values()) activity.endedAt = at;
  state.open.clear();
  if (setStatus(state, status) && state.caller !== undefined) settle(state.caller);
}

/** Updates the status of a branch that has not ended, and of the callers above it. */
export function settle(state: BranchState): void {
  for (let branch: BranchState | undefined = state; branch !== undefined; branch = branch.caller) {
    if (!isOpen(branch) || !judge(branch)) return;
  }
}

function judge(state: BranchState): boolean {
  const { openOf, calls, node } = state;
  const isWorking = openOf.model + openOf.step > 0;
  const awaitsWork = openOf.prepare + calls.running > 0;
  const awaitsPerson = openOf.input + openOf.approval + calls.waiting > 0;
  node.busy = isWorking || (!awaitsWork && !awaitsPerson);
  return setStatus(state, isWorking || awaitsWork || !awaitsPerson ? 'running' : 'waiting');
}

/** Sets the status of a branch. Returns true if the status changed. */
function setStatus({ node, caller }: BranchState, status: Branch['status']): boolean {
  if (node.status === status) return false;
  if (caller !== undefined) {
    caller.calls[node.status] -= 1;
    caller.calls[status] += 1;
  }
  node.status = status;
  return true;
}
