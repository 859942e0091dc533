import { framesOf, type Activity, type FrameNode, type Idleness, type RunTree } from './run-node.ts';

/** A frame's row in the timeline. Times are in milliseconds since the Unix epoch. */
export interface TimelineRow {
  readonly frameId: string;
  readonly skill: string;
  readonly depth: number;
  readonly from: number;
  /** The end of the frame, or the current time if it has not ended. */
  readonly to: number;
  /** Spans that cover the time from `from` to `to` without gaps, in order. */
  readonly spans: readonly Span[];
}

/** Builds a row for each frame, with each caller above its calls. */
export function buildTimeline(tree: RunTree, now: number): readonly TimelineRow[] {
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
  prepare: 'child', // A preparation is a separate run.
  input: 'person',
  approval: 'person',
};

// If spans of several kinds overlap, the first kind in this list is shown.
const precedence = ['idle', 'model', 'step', 'child', 'person'] as const;

/**
 * The state of a frame in a span: no process works on the run (`idle`), a model or a step works, the frame
 * waits for a call (`child`) or for the user (`person`), or none of these (`own`).
 */
type TimeKind = (typeof precedence)[number] | 'own';

/** A period in milliseconds since the Unix epoch. `to` is exclusive. */
export interface Span {
  readonly kind: TimeKind;
  readonly from: number;
  readonly to: number;
}

/**
 * Divides a period into spans that do not overlap. Time that none of the given spans covers becomes `own`.
 */
export function partition(from: number, to: number, holding: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  const open = { idle: 0, model: 0, step: 0, child: 0, person: 0, own: 0 };
  let since = from;
  for (const { kind, at, change } of marksOf(from, to, holding)) {
    close(at);
    open[kind] += change;
  }
  close(to);
  return spans;

  function close(at: number): void {
    if (at <= since) return;
    const kind = precedence.find((candidate) => open[candidate] > 0) ?? 'own';
    const last = spans.at(-1);
    if (last?.kind === kind) spans[spans.length - 1] = { ...last, to: at };
    else spans.push({ kind, from: since, to: at });
    since = at;
  }
}

interface Mark {
  readonly kind: TimeKind;
  readonly at: number;
  readonly change: 1 | -1;
}

function marksOf(from: number, to: number, holding: readonly Span[]): readonly Mark[] {
  const marks = holding.flatMap((span): readonly Mark[] => {
    const [start, end] = [Math.max(from, span.from), Math.min(to, span.to)];
    if (end <= start) return [];
    return [
      { kind: span.kind, at: start, change: 1 },
      { kind: span.kind, at: end, change: -1 },
    ];
  });
  return marks.sort((one, other) => one.at - other.at);
}
