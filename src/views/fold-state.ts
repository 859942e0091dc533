import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import type { Activity, Branch, FrameNode, Growing, RunCounts, RunTree } from './run-node.ts';

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

/** A branch while its log is read, with what decides its status. */
export interface BranchState {
  readonly node: Growing<Branch>;
  /** Absent for the run; another one when the caller is read after its call. */
  caller?: BranchState;
  /** Of the frame; empty for the run. */
  readonly skill: string;
  /** The open activities, by kind and key. */
  readonly open: Map<string, Growing<Activity>>;
  /** How many of each kind are open. */
  readonly openOf: Record<Activity['kind'], number>;
  /** How many of its calls have each status. */
  readonly calls: Record<Branch['status'], number>;
}

/** The state of a branch to which nothing happened yet; its caller has one more running call. */
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

/** The skills from the first frame down to this one. */
export function pathOf({ skill, caller }: BranchState): readonly string[] {
  return caller === undefined ? [] : [...pathOf(caller), skill];
}

/** Puts a branch below its true caller, which is read only now; nothing happens where that would make a circle. */
export function adopt(caller: BranchState, branch: BranchState): void {
  const { caller: before } = branch;
  const node = branch.node as Growing<FrameNode>; // only a frame has a caller
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

/** Adds to the bill of a branch and of all above it. */
export function charge(state: BranchState, usage: Usage): void {
  state.node.ownUsage = addUsage(state.node.ownUsage, usage);
  for (let branch: BranchState | undefined = state; branch !== undefined; branch = branch.caller) {
    branch.node.totalUsage = addUsage(branch.node.totalUsage, usage);
  }
}

/** Whether a branch did not end. */
export function isOpen({ node }: BranchState): boolean {
  return node.endedAt === undefined;
}

/** Ends a branch with all that is open in it. */
export function endBranch(state: BranchState, status: Branch['status'], at: number): void {
  state.node.endedAt ??= at;
  state.node.busy = false;
  for (const activity of state.open.values()) activity.endedAt = at;
  state.open.clear();
  if (setStatus(state, status) && state.caller !== undefined) settle(state.caller);
}

/** Finds the status of a branch that did not end, and of those above it as far as that changes theirs. */
export function settle(state: BranchState): void {
  for (let branch: BranchState | undefined = state; branch !== undefined; branch = branch.caller) {
    if (!isOpen(branch) || !judge(branch)) return;
  }
}

function judge(state: BranchState): boolean {
  const { openOf, calls, node } = state;
  const works = openOf.model + openOf.step > 0;
  const awaitsWork = openOf.prepare + calls.running > 0;
  const awaitsPerson = openOf.input + openOf.approval + calls.waiting > 0;
  node.busy = works || (!awaitsWork && !awaitsPerson);
  return setStatus(state, works || awaitsWork || !awaitsPerson ? 'running' : 'waiting');
}

/** Tells whether the status is another one now. */
function setStatus({ node, caller }: BranchState, status: Branch['status']): boolean {
  if (node.status === status) return false;
  if (caller !== undefined) {
    caller.calls[node.status] -= 1;
    caller.calls[status] += 1;
  }
  node.status = status;
  return true;
}
