import type {
  Entrance,
  ErrorData,
  FailedAttempt,
  Json,
  OpenQuestion,
  Output,
  RunEnd,
  Usage,
} from '../core/index.ts';

/** A value that a fold is still writing to. */
export type Growing<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly (infer Item)[] ? Item[] : Value[Key];
};

/** The frames of a tree, each before those that it called. */
export function* framesOf({ children }: { readonly children: readonly TreeNode[] }): Generator<FrameNode> {
  for (const child of children) {
    if (child.kind !== 'frame') continue;
    yield child;
    yield* framesOf(child);
  }
}

/** Everything that a run's log says, in the shape in which it is shown. */
export interface RunTree extends Branch {
  readonly runId: string;
  /** Empty until one is chosen, and when none fits. */
  readonly skill: string;
  /** What was asked in words, where that is not simply the input. */
  readonly prompt?: string;
  /** Empty until the run has begun. */
  readonly session: string;
  readonly input: Json;
  readonly prepares?: string;
  readonly rerunOf?: string;
  /** When its last event was written. */
  readonly updatedAt: number;
  /** Oldest first. */
  readonly questions: readonly OpenQuestion[];
  /** When nobody worked on it, in order. */
  readonly idle: readonly Idleness[];
  readonly counts: RunCounts;
}

/** How much of what its limits count a run has used, and how often it was refused. */
export interface RunCounts {
  /** Frames of skills that may call others. */
  readonly frames: number;
  readonly leafCalls: number;
  readonly refusals: number;
  readonly modelSteps: number;
  readonly steps: number;
}

/** What a run and each of its frames have in common. */
export interface Branch {
  /** `waiting` when nothing in it can go on before a person answers. */
  readonly status: RunEnd | 'running' | 'waiting';
  /** It works itself: a branch that only waits for its calls, or for a person, does not. */
  readonly busy: boolean;
  /** Absent until it ended, and for a frame that was cut off. */
  readonly output?: Output;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Without that of the calls below it. */
  readonly ownUsage: Usage;
  readonly totalUsage: Usage;
  /** Of its own; a second attempt is no second step. */
  readonly modelSteps: number;
  readonly notes: readonly Note[];
  readonly artifacts: readonly KeptArtifact[];
  /** In order of their start. */
  readonly activities: readonly Activity[];
  /** In order of their start. */
  readonly children: readonly TreeNode[];
}

/** What stands below a run or a frame: a call that ran, or one that was refused. */
export type TreeNode = FrameNode | RefusedNode;

/** A call that ran or runs. */
export interface FrameNode extends Branch {
  readonly kind: 'frame';
  readonly status: 'running' | 'waiting' | 'done' | 'failed';
  readonly id: string;
  /** Empty for the first frame. */
  readonly parent: string;
  readonly key: string;
  readonly skill: string;
  readonly family: string;
  readonly depth: number;
  /** It may call no other skill. */
  readonly leaf: boolean;
  readonly input: Json;
  /** Set when it was not called for its ordinary work. */
  readonly through?: Entrance;
  readonly digest?: string;
  /** Digests of other bundles, or of later versions, that its processes ran from. */
  readonly ran?: readonly string[];
  /** Taken over from the run that this one runs anew; it counts and costs nothing here. */
  readonly reused?: true;
}

/** A call that never began. */
export interface RefusedNode {
  readonly kind: 'refused';
  /** The frame that called; empty for the first call. */
  readonly parent: string;
  readonly key: string;
  readonly skill: string;
  readonly input: Json;
  readonly error: ErrorData;
  readonly at: number;
  /** As for a call that ran. */
  readonly reused?: true;
}

/** Something that takes its time inside a frame. */
export interface Activity {
  /** `prepare` waits for another run, `input` and `approval` for a person. */
  readonly kind: 'model' | 'step' | 'prepare' | 'input' | 'approval';
  /** Tells it from the others of its kind in the frame; of a preparation it is the id of its run. */
  readonly key: string;
  /** How often it was begun before it ended: more than once after a crash. */
  readonly attempts: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The model that was asked last; once there is an answer, the one that gave it. */
  readonly model?: string;
  /** Its attempts that came to nothing. */
  readonly failed?: readonly FailedAttempt[];
  readonly usage?: Usage;
  readonly question?: OpenQuestion;
  readonly error?: ErrorData;
  /** As for a call. */
  readonly reused?: true;
}

/** A line for whoever watches. */
interface Note {
  readonly at: number;
  readonly message: string;
  readonly data?: Json;
}

/** Something that was made and is kept; its text stands in the log. */
export interface KeptArtifact {
  readonly at: number;
  readonly name: string;
  readonly mediaType: string;
  /** Of the text that is kept. */
  readonly characters: number;
}

/** A time in which nobody worked on a run; it has no end while that lasts. */
export interface Idleness {
  readonly startedAt: number;
  readonly endedAt?: number;
}
