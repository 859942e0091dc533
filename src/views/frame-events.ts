import type { CallRefused, Envelope, FrameEnded, FrameStarted, RunEvent } from '../core/event.ts';
import { optional } from '../core/collections.ts';
import { activityChange } from './activity-change.ts';
import type { ActivityChange } from './activity-change.ts';
import { adopt, charge, createBranchState, endBranch, isOpen, pathOf } from './branch-state.ts';
import type { BranchState } from './branch-state.ts';
import { emptyBranch } from './fold-state.ts';
import type { EarlyEvent, FoldState } from './fold-state.ts';
import type { Growing } from './growing.ts';
import type { FrameNode } from './run-node.ts';
import { trackActivity } from './track-activity.ts';

/** Adds what happened in one frame; an event of a frame that never begins says nothing. */
export function addFrameEvent(fold: FoldState, event: RunEvent, isReused = fold.reuses): void {
  if (event.type === 'frame.started') return startFrame(fold, event);
  const state = fold.frames.get(event.frameId);
  if (state === undefined) {
    if (event.type !== 'frame.ended') keepFor(fold, event.frameId, { event, isReused });
    return;
  }
  switch (event.type) {
    case 'frame.ended':
      return endFrame(fold, state, event);
    case 'call.refused':
      return refuseCall(fold, state, event, isReused);
    case 'note.added':
      state.node.notes.push({ at: event.at, message: event.message, ...optional('data', event.data) });
      return;
    case 'artifact.created': {
      const { at, name, mediaType, text } = event;
      state.node.artifacts.push({ at, name, mediaType, characters: text.length });
      return;
    }
    default: {
      const change = activityChange(event, pathOf(state));
      if (change !== undefined) addActivity(fold, state, { ...change, isReused }, event.at);
    }
  }
}

/** In a run that runs another one anew, what was reused of a frame stands before its beginning. */
function keepFor({ early }: FoldState, frameId: string, what: EarlyEvent | BranchState): void {
  const kept = early.get(frameId);
  if (kept === undefined) early.set(frameId, [what]);
  else kept.push(what);
}

function startFrame(fold: FoldState, event: Envelope & FrameStarted): void {
  const { tree, run, frames, early, reuses } = fold;
  const { frameId: id, parent, key, skill, family, depth, leaf, input, through, digest, at } = event;
  if (frames.has(id)) return;
  const caller = frames.get(parent);
  const node: Growing<FrameNode> = {
    ...{ kind: 'frame', id, parent, key, skill, family, depth, leaf, input },
    ...optional('through', through),
    ...optional('digest', digest),
    ...mark(reuses),
    ...emptyBranch(at),
  };
  const state = createBranchState(node, skill, caller ?? run);
  frames.set(id, state);
  (caller ?? run).node.children.push(node);
  if (caller === undefined) keepFor(fold, parent, state);
  if (!reuses) tree.counts[leaf ? 'leafCalls' : 'frames'] += 1;
  const kept = early.get(id) ?? [];
  early.delete(id);
  for (const one of kept) {
    if ('event' in one) addFrameEvent(fold, one.event, one.isReused);
    else adopt(state, one);
  }
}

function endFrame(
  { tree, run }: FoldState,
  state: BranchState,
  { at, output, ran }: Envelope & FrameEnded,
): void {
  if (state === run || state.node.output !== undefined) return;
  const asked = new Set(Array.from(state.open.values(), ({ question }) => question?.id));
  tree.questions = tree.questions.filter(({ id }) => !asked.has(id));
  state.node.output = output;
  if (ran !== undefined) (state.node as Growing<FrameNode>).ran = ran;
  endBranch(state, output.status, at);
}

function refuseCall(
  { tree }: FoldState,
  caller: BranchState,
  event: Envelope & CallRefused,
  isReused: boolean,
): void {
  const { frameId: parent, key, skill, input, error, at } = event;
  caller.node.children.push({
    ...{ kind: 'refused', parent, key, skill, input, error, at },
    ...mark(isReused),
  });
  if (!isReused) tree.counts.refusals += 1;
}

interface Change extends ActivityChange {
  readonly isReused: boolean;
}

function addActivity({ tree }: FoldState, state: BranchState, change: Change, at: number): void {
  const { begins, facts = {}, isReused } = change;
  if (facts.usage !== undefined && !isReused) charge(state, facts.usage);
  if (!isOpen(state)) return;
  const activity = trackActivity(state, { ...change, facts: { ...facts, ...mark(isReused) } }, at);
  if (activity === undefined) return;
  const { kind, attempts, question } = activity;
  if (begins && attempts === 1 && !isReused) {
    if (kind === 'model') tree.counts.modelSteps += 1;
    if (kind === 'step') tree.counts.steps += 1;
  }
  if (question === undefined) return;
  if (!begins) tree.questions = tree.questions.filter(({ id }) => id !== question.id);
  else if (!tree.questions.some(({ id }) => id === question.id)) tree.questions.push(question);
}

function mark(isReused: boolean): { readonly reused?: true } {
  return isReused ? { reused: true } : {};
}
