import {
  addUsage,
  noUsage,
  optional,
  shownSkillName,
  type CallRefused,
  type Envelope,
  type FrameEnded,
  type FrameStarted,
  type RunEvent,
} from '../core/index.ts';
import {
  adopt,
  charge,
  createBranchState,
  emptyBranch,
  endBranch,
  isOpen,
  pathOf,
  settle,
  type BranchState,
  type EarlyEvent,
  type FoldState,
} from './fold-state.ts';
import type { Activity, FrameNode, Growing } from './run-node.ts';
import { askedQuestion } from './text.ts';

/** Adds an event to its frame. Ignores the events of a frame that never starts. */
export function addFrameEvent(fold: FoldState, event: RunEvent, isReused = fold.reuses): void {
  if (event.type === 'frame.started') return startFrame(fold, event);
  const state = fold.frames.get(event.frameId);
  if (state === undefined) {
    if (event.type !== 'frame.ended') holdEarly(fold, event.frameId, { event, isReused });
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

/**
 * Stores an event or a call until its frame starts. In a rerun, the copied events of a frame precede the
 * frame's start.
 */
function holdEarly({ early }: FoldState, frameId: string, what: EarlyEvent | BranchState): void {
  const pending = early.get(frameId);
  if (pending === undefined) early.set(frameId, [what]);
  else pending.push(what);
}

function startFrame(fold: FoldState, event: Envelope & FrameStarted): void {
  const { tree, run, frames, early, reuses } = fold;
  const { frameId: id, parent, key, skill, family, depth, leaf, input, through, digest, at } = event;
  if (frames.has(id)) return;
  const caller = frames.get(parent);
  const node: Growing<FrameNode> = {
    kind: 'frame',
    id,
    parent,
    key,
    skill: shownSkillName(skill),
    family,
    depth,
    leaf,
    input,
    ...optional('through', through),
    ...optional('digest', digest),
    ...mark(reuses),
    ...emptyBranch(at),
  };
  const state = createBranchState(node, shownSkillName(skill), caller ?? run);
  frames.set(id, state);
  (caller ?? run).node.children.push(node);
  if (caller === undefined) holdEarly(fold, parent, state);
  if (!reuses) tree.counts[leaf ? 'leafCalls' : 'frames'] += 1;
  const pending = early.get(id) ?? [];
  early.delete(id);
  for (const one of pending) {
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
    kind: 'refused',
    parent,
    key,
    skill: shownSkillName(skill),
    input,
    error,
    at,
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

/** Starts, retries or ends an activity. Returns undefined if the activity to end does not exist. */
function trackActivity(state: BranchState, change: ActivityChange, at: number): Activity | undefined {
  const { begins, kind, key, facts = {} } = change;
  const id = `${kind} ${key}`;
  const activity =
    state.open.get(id) ??
    (begins
      ? begin(state, id, { kind, key, startedAt: at, ...optional('reused', facts.reused) })
      : undefined);
  if (activity === undefined) return undefined;
  if (begins) activity.attempts += 1;
  else end(state, id, activity, at);
  const { usage, ...others } = facts;
  Object.assign(activity, others);
  if (usage !== undefined) activity.usage = addUsage(activity.usage ?? noUsage, usage);
  settle(state);
  return activity;
}

function begin(
  { node, open, openOf }: BranchState,
  id: string,
  begun: Pick<Activity, 'kind' | 'key' | 'startedAt' | 'reused'>,
): Growing<Activity> {
  const activity = { ...begun, attempts: 0 };
  open.set(id, activity);
  openOf[activity.kind] += 1;
  node.activities.push(activity);
  if (activity.kind === 'model' && begun.reused !== true) node.modelSteps += 1;
  return activity;
}

function end({ open, openOf }: BranchState, id: string, activity: Growing<Activity>, at: number): void {
  activity.endedAt = at;
  open.delete(id);
  openOf[activity.kind] -= 1;
}

/** The start or end of an activity in a frame, with data from the event. */
interface ActivityChange {
  readonly begins: boolean;
  readonly kind: Activity['kind'];
  readonly key: string;
  readonly facts?: Pick<Activity, 'model' | 'usage' | 'failed' | 'question' | 'error' | 'reused'>;
}

/** Returns the activity that an event starts or ends, or undefined if it does neither. */
function activityChange(event: RunEvent, path: readonly string[]): ActivityChange | undefined {
  switch (event.type) {
    case 'step.started':
      return { begins: true, kind: 'step', key: event.key };
    case 'step.ended':
      return { begins: false, kind: 'step', key: event.key, facts: optional('error', event.error) };
    case 'model.started':
      return { begins: true, kind: 'model', key: event.key, facts: { model: event.model } };
    case 'model.ended': {
      const { usage, error, model, failed } = event.reply;
      const more = {
        ...optional('error', error),
        ...optional('model', model),
        ...optional('failed', failed),
      };
      return { begins: false, kind: 'model', key: event.key, facts: { usage, ...more } };
    }
    case 'prepare.started':
      return { begins: true, kind: 'prepare', key: event.run };
    case 'prepare.ended':
      return { begins: false, kind: 'prepare', key: event.run, facts: optional('error', event.error) };
    case 'input.requested':
      return { begins: true, kind: 'input', key: event.key, facts: { question: askedQuestion(event, path) } };
    case 'input.resolved':
      return { begins: false, kind: 'input', key: event.key, facts: optional('error', event.error) };
    case 'approval.requested':
      return {
        begins: true,
        kind: 'approval',
        key: event.key,
        facts: { question: askedQuestion(event, path) },
      };
    case 'approval.resolved':
      return { begins: false, kind: 'approval', key: event.key };
    default:
      return undefined;
  }
}
