import type { CallRefused, Envelope, FrameEnded, FrameStarted, RunEvent } from '../core/event.ts';
import { optional } from '../core/optional.ts';
import { activityChange } from './activity-change.ts';
import type { ActivityChange } from './activity-change.ts';
import { charge, createBranchState, endBranch, isOpen } from './branch-state.ts';
import type { BranchState } from './branch-state.ts';
import { emptyBranch } from './fold-state.ts';
import type { FoldState } from './fold-state.ts';
import type { Growing } from './growing.ts';
import type { FrameNode } from './run-node.ts';
import { trackActivity } from './track-activity.ts';

/** Adds what happened in one frame; an event of a frame that never began says nothing. */
export function addFrameEvent(fold: FoldState, event: RunEvent): void {
  if (event.type === 'frame.started') return startFrame(fold, event);
  const state = fold.frames.get(event.frameId);
  if (state === undefined) return;
  switch (event.type) {
    case 'frame.ended':
      return endFrame(fold, state, event);
    case 'call.refused':
      return refuseCall(fold, state, event);
    case 'note.added':
      state.node.notes.push({ at: event.at, message: event.message, ...optional('data', event.data) });
      return;
    default: {
      const change = activityChange(event, state.path);
      if (change !== undefined) addActivity(fold, state, change, event.at);
    }
  }
}

function startFrame({ tree, run, frames }: FoldState, event: Envelope & FrameStarted): void {
  const { frameId: id, parent, key, skill, family, depth, leaf, input, digest, at } = event;
  if (frames.has(id)) return;
  const caller = frames.get(parent) ?? run;
  const node: Growing<FrameNode> = {
    ...{ kind: 'frame', id, parent, key, skill, family, depth, leaf, input },
    ...optional('digest', digest),
    ...emptyBranch(at),
  };
  frames.set(id, createBranchState(node, [...caller.path, skill], caller));
  caller.node.children.push(node);
  tree.counts[leaf ? 'leafCalls' : 'frames'] += 1;
}

function endFrame({ tree, run }: FoldState, state: BranchState, { at, output }: Envelope & FrameEnded): void {
  if (state === run || state.node.output !== undefined) return;
  const asked = new Set(Array.from(state.open.values(), ({ question }) => question?.id));
  tree.questions = tree.questions.filter(({ id }) => !asked.has(id));
  state.node.output = output;
  endBranch(state, output.status, at);
}

function refuseCall({ tree }: FoldState, caller: BranchState, event: Envelope & CallRefused): void {
  const { frameId: parent, key, skill, input, error, at } = event;
  caller.node.children.push({ kind: 'refused', parent, key, skill, input, error, at });
  tree.counts.refusals += 1;
}

function addActivity({ tree }: FoldState, state: BranchState, change: ActivityChange, at: number): void {
  if (change.facts?.usage !== undefined) charge(state, change.facts.usage);
  if (!isOpen(state)) return;
  const activity = trackActivity(state, change, at);
  if (activity === undefined) return;
  const { kind, attempts, question } = activity;
  if (change.begins && attempts === 1) {
    if (kind === 'model') tree.counts.modelSteps += 1;
    if (kind === 'step') tree.counts.steps += 1;
  }
  if (question === undefined) return;
  if (!change.begins) tree.questions = tree.questions.filter(({ id }) => id !== question.id);
  else if (!tree.questions.some(({ id }) => id === question.id)) tree.questions.push(question);
}
