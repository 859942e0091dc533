/** The limits of a run. A call inherits its frame's limits and can only tighten them. */
export interface RunLimits {
  /** The maximum depth of nested calls. The first frame has depth 1. */
  readonly depth: number;
  /** The maximum number of frames for skills that may call other skills. */
  readonly frames: number;
  /** The maximum number of calls to skills that may not call other skills. */
  readonly leafCalls: number;
  /** The maximum number of model steps in one frame. */
  readonly steps: number;
  /** The maximum working time of a run in seconds. Time spent waiting for human input does not count. */
  readonly runSeconds: number;
  /** The maximum working time of one call in seconds. */
  readonly callSeconds: number;
  /** The maximum total of input and output tokens across all models. Unlimited unless set. */
  readonly tokens?: number;
  /** The maximum cost in US dollars. Unlimited unless set. */
  readonly cost?: number;
}

/** The limits that a program can pass. */
export interface LimitOptions extends Partial<RunLimits> {
  /** @deprecated Use `cost`. */
  readonly money?: number;
}

/** A run's limits as its log records them. The log keeps the name `money` for the cost limit. */
export interface RecordedLimits extends Omit<RunLimits, 'cost'> {
  /** The maximum cost in US dollars. Unlimited unless set. */
  readonly money?: number;
}

/** Converts limits to the form in which a log records them. */
export function recordLimits({ cost, ...limits }: RunLimits): RecordedLimits {
  return cost === undefined ? limits : { ...limits, money: cost };
}

/** Converts limits from a log to the form that programs use. */
export function recordedLimits({ money, ...limits }: RecordedLimits): RunLimits {
  return money === undefined ? limits : { ...limits, cost: money };
}

/** The default limits of a run. */
export const defaultRunLimits: RunLimits = {
  depth: 8,
  frames: 256,
  leafCalls: 2_000,
  steps: 40,
  runSeconds: 3_600,
  callSeconds: 1_800,
};
