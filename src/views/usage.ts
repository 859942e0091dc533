import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import { framesOf, type Activity, type RunTree } from './run-node.ts';
import { foldRun } from './run-tree.ts';
import { partition, buildTimeline, type Span } from './timeline.ts';

/** The usage of a run: in total, by skill and by model. */
export interface RunUsage {
  /** The total usage. Its active time counts concurrent work only once. */
  readonly total: UsageRow;
  /**
   * The usage of each skill, in the order of first use. The usage of a call is part of the called skill's
   * usage, not of the caller's.
   */
  readonly bySkill: readonly NamedUsage[];
  /** The usage of each model, in the order of first use. `calls` is the number of requests to the model. */
  readonly byModel: readonly NamedUsage[];
}

/** The usage of a run, a skill or a model. */
export interface UsageRow extends Usage {
  readonly calls: number;
  readonly modelSteps: number;
  /**
   * The active time in milliseconds. It excludes time in which the run was idle, or waited for a call or for
   * the user.
   */
  readonly activeMs: number;
}

/** The usage of a skill or a model. */
export interface NamedUsage extends UsageRow {
  readonly name: string;
}

/** Sums up the usage of a run until its last event. */
export function sumUsage(events: Iterable<RunEvent>): RunUsage {
  const tree = foldRun(events);
  const { counts, totalUsage } = tree;
  const calls = counts.frames + counts.leafCalls;
  const activeMs = workedMs(tree, tree.updatedAt);
  return {
    total: { calls, modelSteps: counts.modelSteps, ...totalUsage, activeMs },
    bySkill: skillRows(tree),
    byModel: modelRows(tree),
  };
}

/**
 * Returns the time in milliseconds for which processes worked on a run until `now`. It excludes time in which
 * the run waited for the user.
 */
export function workedMs(tree: RunTree, now: number): number {
  return workedBetween(tree, tree.startedAt, tree.endedAt ?? now);
}

function skillRows(tree: RunTree): readonly NamedUsage[] {
  const spans = new Map(buildTimeline(tree, tree.updatedAt).map((row) => [row.frameId, row.spans]));
  const frames = [...framesOf(tree)].filter(({ reused }) => reused !== true);
  const rows = frames.map(({ id, skill, modelSteps, ownUsage }) => {
    const activeMs = activeOf(spans.get(id) ?? []);
    return { name: skill, calls: 1, modelSteps, ...ownUsage, activeMs };
  });
  return sumByName(rows);
}

function modelRows(tree: RunTree): readonly NamedUsage[] {
  const rows = [tree, ...framesOf(tree)].flatMap(({ activities }) =>
    activities
      .filter(({ model, reused }) => model !== undefined && reused !== true)
      .map((activity) => modelRow(tree, activity)),
  );
  return sumByName(rows);
}

function modelRow(tree: RunTree, activity: Activity): NamedUsage {
  const { model: name = '', attempts: calls, usage = noUsage, startedAt, endedAt } = activity;
  const activeMs = workedBetween(tree, startedAt, endedAt ?? tree.updatedAt);
  return { name, calls, modelSteps: 1, ...usage, activeMs };
}

function workedBetween({ idle }: RunTree, from: number, to: number): number {
  const resting = idle.map(({ startedAt, endedAt = to }): Span => {
    return { kind: 'idle', from: startedAt, to: endedAt };
  });
  return activeOf(partition(from, to, resting));
}

function activeOf(spans: readonly Span[]): number {
  const active = spans.filter(({ kind }) => kind === 'model' || kind === 'step' || kind === 'own');
  return active.reduce((sum, { from, to }) => sum + to - from, 0);
}

function sumByName(rows: readonly NamedUsage[]): readonly NamedUsage[] {
  const sums = new Map<string, NamedUsage>();
  for (const row of rows) {
    const sum = sums.get(row.name);
    sums.set(row.name, sum === undefined ? row : add(sum, row));
  }
  return [...sums.values()];
}

function add(one: NamedUsage, other: NamedUsage): NamedUsage {
  return {
    name: one.name,
    calls: one.calls + other.calls,
    modelSteps: one.modelSteps + other.modelSteps,
    ...addUsage(one, other),
    activeMs: one.activeMs + other.activeMs,
  };
}
