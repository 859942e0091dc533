import { addUsage, noUsage } from '../core/model.ts';
import { optional } from '../core/collections.ts';
import type { ActivityChange } from './activity-change.ts';
import { settle } from './branch-state.ts';
import type { BranchState } from './branch-state.ts';
import type { Growing } from './growing.ts';
import type { Activity } from './run-node.ts';

/** Begins an activity, which is another attempt if it is open, or ends it; undefined when there is none to end. */
export function trackActivity(state: BranchState, change: ActivityChange, at: number): Activity | undefined {
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
