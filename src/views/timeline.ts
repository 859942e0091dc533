import { framesOf } from './frames-of.ts';
import { partition } from './partition.ts';
import type { Span, TimeKind } from './partition.ts';
import type { Activity, FrameNode, Idleness, RunTree } from './run-node.ts';

/** Where the time of one frame went; all moments are milliseconds since 1970. */
export interface TimelineRow {
  readonly frameId: string;
  readonly skill: string;
  readonly depth: number;
  readonly from: number;
  /** The end of the frame, or the present moment. */
  readonly to: number;
  /** In order and without gaps, from the first moment to the last. */
  readonly spans: readonly Span[];
}

/** One row for each frame, on one clock, each caller above its calls. */
export function timelineOf(tree: RunTree, now: number): readonly TimelineRow[] {
  return Array.from(framesOf(tree), (frame) => rowOf(frame, tree.idle, now));
}

function rowOf(frame: FrameNode, idle: readonly Idleness[], now: number): TimelineRow {
  const { id: frameId, skill, depth, startedAt: from } = frame;
  const to = Math.max(from, frame.endedAt ?? now);
  const span = (kind: TimeKind, { startedAt, endedAt }: Idleness): Span => {
    return { kind, from: startedAt, to: endedAt ?? now };
  };
  const spans = partition(from, to, [
    ...idle.map((time) => span('idle', time)),
    ...frame.activities.map((activity) => span(kinds[activity.kind], activity)),
    ...frame.children.flatMap((child) => (child.kind === 'frame' ? [span('child', child)] : [])),
  ]);
  return { frameId, skill, depth, from, to, spans };
}

const kinds: Readonly<Record<Activity['kind'], TimeKind>> = {
  model: 'model',
  step: 'step',
  prepare: 'child', // it is a run of its own
  input: 'person',
  approval: 'person',
};
