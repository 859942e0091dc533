/** How far a run may go; everything a frame has is inherited by its calls, which can only tighten it. */
export interface RunLimits {
  /** How deep calls may nest; the first frame has depth 1. */
  readonly depth: number;
  /** Frames of skills that may call others. */
  readonly frames: number;
  /** Calls of skills that may call no others. */
  readonly leafCalls: number;
  /** Model steps of one frame. */
  readonly steps: number;
  /** Seconds that a run may work; waiting for a person does not count. */
  readonly runSeconds: number;
  /** Seconds that one call may work. */
  readonly callSeconds: number;
  /** Tokens in and out, all models together; no limit unless set. */
  readonly tokens?: number;
  /** US dollars; no limit unless set. */
  readonly money?: number;
}

/** The limits of a run unless others are set. */
export const defaultRunLimits: RunLimits = {
  depth: 8,
  frames: 256,
  leafCalls: 2_000,
  steps: 20,
  runSeconds: 3_600,
  callSeconds: 1_800,
};
