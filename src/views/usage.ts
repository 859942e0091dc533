import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import { framesOf, type Activity, type RunTree } from './run-node.ts';
import { foldRun } from './run-tree.ts';
import { partition, buildTimeline, type Span } from './timeline.ts';

/** A run's usage, in total, by skill and by model. */
export interface RunUsage {
  /** The total usage. Concurrent work counts once toward the active time. */
  readonly total: UsageRow;
  /** Usage by skill, in order of first use. A skill's row excludes its calls, which have their own rows. */
  readonly bySkill: readonly NamedUsage[];
  /** Usage by model, in order of first use. Each model request counts as one call. */
  readonly byModel: readonly NamedUsage[];
}

/** The usage of a run, a skill or a model. */
export interface UsageRow extends Usage {
  readonly calls: number;
  readonly modelSteps: number;
  /** The active time in milliseconds: excludes idle time of the run and waiting for a call or the user. */
  readonly activeMs: number;
}

/** The usage of a skill or a model. */
export interface NamedUsage extends UsageRow {
  readonly name: string;
}

/** Sums a run's usage up to its last event. */
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
 * Returns the time spent working on a run until a given time. Excludes waiting for the user and periods in
 * which no process ran.
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
