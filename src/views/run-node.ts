import type {
  CallMode,
  ErrorData,
  FailedAttempt,
  Json,
  OpenQuestion,
  Output,
  RunEnd,
  Usage,
} from '../core/index.ts';

/** A type with mutable properties, for a value that is still being built from a log. */
export type Growing<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly (infer Item)[] ? Item[] : Value[Key];
};

/** Yields all frames of a tree. A frame comes before the calls that it made. */
export function* framesOf({ children }: { readonly children: readonly TreeNode[] }): Generator<FrameNode> {
  for (const child of children) {
    if (child.kind !== 'frame') continue;
    yield child;
    yield* framesOf(child);
  }
}

/** A tree for display, built from a run's complete log. */
export interface RunTree extends Branch {
  readonly runId: string;
  /** The name of the selected skill. Empty before a skill is selected, or if no skill matches. */
  readonly skill: string;
  /** The prompt, if it differs from the input. */
  readonly prompt?: string;
  /** The id of the session. Empty until the run has started. */
  readonly session: string;
  readonly input: Json;
  readonly prepares?: string;
  readonly rerunOf?: string;
  /** The time of the last event, in milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** The open questions, oldest first. */
  readonly questions: readonly OpenQuestion[];
  /** The periods in which no process worked on the run, in order. */
  readonly idle: readonly Idleness[];
  readonly counts: RunCounts;
}

/** The counts that a run's limits apply to, and the number of refused calls. */
export interface RunCounts {
  /** The number of frames whose skills can call other skills. */
  readonly frames: number;
  readonly leafCalls: number;
  readonly refusals: number;
  readonly modelSteps: number;
  readonly steps: number;
}

/** The properties that a run and its frames have in common. */
export interface Branch {
  /** The status. It is `waiting` if nothing in the branch can continue until the user answers. */
  readonly status: RunEnd | 'running' | 'waiting';
  /** Whether the branch itself is working, rather than waiting for its calls or for the user. */
  readonly busy: boolean;
  /** The output. Absent until the branch has ended, and for an interrupted frame. */
  readonly output?: Output;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The usage of the branch without its calls. */
  readonly ownUsage: Usage;
  readonly totalUsage: Usage;
  /** The number of model steps of the branch without its calls and without retries. */
  readonly modelSteps: number;
  readonly notes: readonly Note[];
  readonly artifacts: readonly ArtifactSummary[];
  /** The activities of the branch without its calls, in the order of their start. */
  readonly activities: readonly Activity[];
  /** The calls, in the order of their start. */
  readonly children: readonly TreeNode[];
}

/** A child of a run or a frame: a call that ran, or a call that was refused. */
export type TreeNode = FrameNode | RefusedNode;

/** A call that ran or is running. */
export interface FrameNode extends Branch {
  readonly kind: 'frame';
  readonly status: 'running' | 'waiting' | 'done' | 'failed';
  readonly id: string;
  /** The caller's frame id. Empty for the first frame. */
  readonly parent: string;
  readonly key: string;
  readonly skill: string;
  readonly family: string;
  readonly depth: number;
  /** Whether the frame is not allowed to call other skills. */
  readonly leaf: boolean;
  readonly input: Json;
  /** The call mode, if it is not a normal call. */
  readonly through?: CallMode;
  readonly digest?: string;
  /**
   * The digests of the bundle versions that the frame's processes executed, except the version with which the
   * frame started.
   */
  readonly ran?: readonly string[];
  /** Set if the frame was copied from an earlier run. It costs nothing and does not count towards limits. */
  readonly reused?: true;
}

/** A call that never started. */
export interface RefusedNode {
  readonly kind: 'refused';
  /** The caller's frame id. Empty for the first call. */
  readonly parent: string;
  readonly key: string;
  readonly skill: string;
  readonly input: Json;
  readonly error: ErrorData;
  readonly at: number;
  /** Set if the call was copied from an earlier run. */
  readonly reused?: true;
}

/** Work in a frame that takes time. */
export interface Activity {
  /** The kind of activity: `prepare` waits for another run; `input` and `approval` wait for the user. */
  readonly kind: 'model' | 'step' | 'prepare' | 'input' | 'approval';
  /** The key, unique among the frame's activities of the same kind. For `prepare`, this is the run id. */
  readonly key: string;
  /** The number of times that the activity was started. It is greater than 1 only after a crash. */
  readonly attempts: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The model that replied. If there is no reply, the last model that was called. */
  readonly model?: string;
  /** The failed attempts to get a reply. */
  readonly failed?: readonly FailedAttempt[];
  readonly usage?: Usage;
  readonly question?: OpenQuestion;
  readonly error?: ErrorData;
  /** Set if the activity was copied from an earlier run. */
  readonly reused?: true;
}

/** A progress message for users. */
interface Note {
  readonly at: number;
  readonly message: string;
  readonly data?: Json;
}

/** An artifact that was created and stored. The log contains its text. */
export interface ArtifactSummary {
  readonly at: number;
  readonly name: string;
  readonly mediaType: string;
  /** The length of the stored text in characters. */
  readonly characters: number;
}

/** A period in which no process worked on the run. If `endedAt` is absent, the period has not ended yet. */
export interface Idleness {
  readonly startedAt: number;
  readonly endedAt?: number;
}
