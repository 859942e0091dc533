import {
  optional,
  shownSkillName,
  type Envelope,
  type OpenQuestion,
  type Output,
  type RunEnd,
  type RunEvent,
  type RunStarted,
} from '../core/index.ts';
import {
  createBranchState,
  emptyBranch,
  endBranch,
  isOpen,
  settle,
  type FoldState,
  type GrowingTree,
} from './fold-state.ts';
import { addFrameEvent } from './frame-events.ts';
import type { Growing, Idleness, RunTree } from './run-node.ts';

/** Returns the questions of a run that are waiting for the user, oldest first. */
export function pendingOf(events: Iterable<RunEvent>): readonly OpenQuestion[] {
  return foldRun(events).questions;
}

/** A builder of a tree from a growing log. Each event updates the same tree. */
interface RunFold {
  readonly tree: RunTree;
  /**
   * Adds an event. Never throws, even if the log is incomplete. The time that this takes is proportional to
   * the depth of the frame.
   */
  add(event: RunEvent): void;
}

/** Builds the tree of a log, which may end at any event. Pure. */
export function foldRun(events: Iterable<RunEvent>): RunTree {
  const fold = createRunFold();
  for (const event of events) fold.add(event);
  return fold.tree;
}

/** Creates a builder for following a run in progress. */
export function createRunFold(): RunFold {
  const tree: GrowingTree = {
    ...emptyBranch(0),
    runId: '',
    skill: '',
    session: '',
    input: null,
    updatedAt: 0,
    questions: [],
    idle: [],
    counts: { frames: 0, leafCalls: 0, refusals: 0, modelSteps: 0, steps: 0 },
  };
  const run = createBranchState(tree, '');
  const fold: FoldState = { tree, run, frames: new Map([['', run]]), early: new Map(), reuses: false };
  return { tree, add: (event) => addEvent(fold, event) };
}

function addEvent(fold: FoldState, event: RunEvent): void {
  if (event.type === 'model.delta') return;
  const { tree, run } = fold;
  noteIdleness(tree.idle, event, tree.updatedAt);
  noteEnvelope(tree, event);
  switch (event.type) {
    case 'run.started':
      fold.reuses = event.rerunOf !== undefined; // `run.resumed` clears this flag.
      return startRun(tree, event);
    case 'run.waiting':
      if (!isOpen(run)) return;
      tree.status = 'waiting';
      tree.busy = false;
      return;
    case 'run.resumed':
      fold.reuses = false;
      return settle(run);
    case 'skill.selected':
      if (event.skill !== '') tree.skill = shownSkillName(event.skill);
      return;
    case 'run.ended':
      return endRun(fold, event.status, event.output, event.at);
    default:
      addFrameEvent(fold, event);
  }
}

function noteEnvelope(tree: GrowingTree, { runId, at }: Envelope): void {
  if (tree.runId === '') {
    tree.runId = runId;
    tree.startedAt = at;
  }
  tree.updatedAt = at;
}

function startRun(tree: GrowingTree, event: RunStarted): void {
  const { skill, prompt, input, session, prepares, rerunOf } = event;
  Object.assign(tree, {
    skill: shownSkillName(skill),
    input,
    session,
    ...optional('prompt', prompt),
    ...optional('prepares', prepares),
    ...optional('rerunOf', rerunOf),
  });
}

/** Ends a run. Frames that are still open were interrupted and become `failed`. */
function endRun({ tree, run, frames }: FoldState, status: RunEnd, output: Output, at: number): void {
  if (!isOpen(run)) return;
  endBranch(run, status, at);
  for (const frame of frames.values()) if (isOpen(frame)) endBranch(frame, 'failed', at);
  tree.output = output;
  tree.questions = [];
}

/**
 * Records the periods in which no process worked on the run: from `run.waiting` to the next event or, if the
 * process died, from its last event to `run.resumed`.
 */
function noteIdleness(idle: Growing<Idleness>[], event: RunEvent, lastAt: number): void {
  const last = idle.at(-1);
  const isIdle = last !== undefined && last.endedAt === undefined;
  if (isIdle) last.endedAt = event.at;
  else if (event.type === 'run.resumed') idle.push({ startedAt: lastAt, endedAt: event.at });
  if (event.type === 'run.waiting') idle.push({ startedAt: event.at });
}
