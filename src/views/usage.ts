import { addUsage, noUsage, type RunEvent, type Usage } from '../core/index.ts';
import { framesOf, type Activity, type RunTree } from './run-node.ts';
import { foldRun } from './run-tree.ts';
import { partition, timelineOf, type Span } from './timeline.ts';

/** What a run used, as a whole and in its parts. */
export interface RunUsage {
  /** Parts that worked at the same time count once in its active time. */
  readonly total: UsageRow;
  /** Without what the calls of a skill used: each of those has its own row. In order of first use, like the models. */
  readonly bySkill: readonly NamedUsage[];
  /** Here a call is one request to the model. */
  readonly byModel: readonly NamedUsage[];
}

/** What something used. */
export interface UsageRow extends Usage {
  readonly calls: number;
  readonly modelSteps: number;
  /** Milliseconds of work: neither waiting for a call or a person, nor a run that rests. */
  readonly activeMs: number;
}

/** What a skill or a model used. */
export interface NamedUsage extends UsageRow {
  readonly name: string;
}

/** What a run used up to its last event. */
export function usageOf(events: Iterable<RunEvent>): RunUsage {
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

/** How long a run was worked on up to a moment: neither waiting for a person nor without a process. */
export function workedMs(tree: RunTree, now: number): number {
  return workedBetween(tree, tree.startedAt, tree.endedAt ?? now);
}

function skillRows(tree: RunTree): readonly NamedUsage[] {
  const spans = new Map(timelineOf(tree, tree.updatedAt).map((row) => [row.frameId, row.spans]));
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
