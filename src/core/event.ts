import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import type { Message, ModelReply } from './model.ts';
import type { Approval, ApprovalRequest } from './policy.ts';
import type { CandidatesRanked, SkillSelected } from './routing-event.ts';
import type { RunLimits } from './run-limits.ts';
import type { Entrance, Output, Question, RunEnd, RunResult, Wanted } from './run.ts';

/** A run that goes on. */
export interface RunHandle {
  /** Of a prompt that answers a question of its session, from the first event on that of the run which asked. */
  readonly id: string;
  /** Every event of the run from its first one, whenever it is read; ends when the run ends or waits. */
  readonly events: AsyncIterable<RunEvent>;
  /** What it came to; failures are data, so it does not reject for them. */
  readonly result: Promise<RunResult>;
  /** Sends a message that joins the conversation at the next model step of the outermost loop. */
  steer(text: string): Promise<void>;
  /** Stops it for good; resolves when nothing of it goes on. */
  cancel(reason?: string): Promise<void>;
}

/** The version of the events' shape, written with every one of them. */
export const eventVersion = 1;

/** What every event carries beside its own facts. */
export interface Envelope {
  /** The version of the events' shape. */
  readonly v: typeof eventVersion;
  /** The run in whose log it stands. */
  readonly runId: string;
  /** The frame that it is about; empty for the run as a whole. */
  readonly frameId: string;
  /** Its place in the log of the run, counted from 1 without gaps; 0 for what goes to listeners only. */
  readonly seq: number;
  /** Milliseconds since 1970, as the writing process saw it. */
  readonly at: number;
}

/** One fact of a run. The log of these is the run; every view is a fold over it. */
export type RunEvent = Envelope & EventBody;

/** An event that has no place in the log yet. */
export type NewEvent = Pick<Envelope, 'frameId' | 'at'> & EventBody;

/** What an event says, by its type: a noun and what happened to it. */
export type EventBody =
  | RunStarted
  /** A process took up the run, `owner` by name: after an answer, a crash or a pause. */
  | { readonly type: 'run.resumed'; readonly owner: string; readonly version?: string }
  /** The run waits for people; `questions` are the ids of what they are asked. */
  | { readonly type: 'run.waiting'; readonly questions: readonly string[] }
  /** The run is over, and nothing follows. */
  | { readonly type: 'run.ended'; readonly status: RunEnd; readonly output: Output }
  | CandidatesRanked
  | SkillSelected
  | FrameStarted
  | FrameEnded
  | CallRefused
  /** A skill is being made ready for its first call, by the run that is named. */
  | { readonly type: 'prepare.started'; readonly run: string }
  | PrepareEnded
  | StepStarted
  | StepEnded
  | ModelStarted
  | ModelDelta
  | ModelEnded
  | InputRequested
  | InputResolved
  | ApprovalRequested
  | ApprovalResolved
  | ArtifactCreated
  | NoteAdded;

/** Every type of event. */
export type EventType = EventBody['type'];

/** A run began: everything that is needed to begin it again. */
export interface RunStarted {
  readonly type: 'run.started';
  /** As it was named; empty when the prompt decides. */
  readonly skill: string;
  /** What was asked in words, where that is not simply the input of the skill that was named. */
  readonly prompt?: string;
  /** Set when it is a turn of the conversation of its session. */
  readonly turn?: true;
  readonly input: Json;
  readonly session: string;
  /** Tells users apart, without saying who they are; absent where nobody is named. */
  readonly user?: string;
  /** What they may do. */
  readonly roles?: readonly string[];
  readonly limits: RunLimits;
  /** Set when it is only to load the skill, or to build it. */
  readonly through?: 'load' | 'build';
  /** What is wanted beside what the input says. */
  readonly wanted?: Omit<Wanted, 'check'>;
  /** Set when it prepares a skill instead of answering somebody. */
  readonly prepares?: string;
  /** The run whose finished frames it reuses. */
  readonly rerunOf?: string;
  /** Of the program that recorded it; logs of earlier releases do not say. */
  readonly version?: string;
}

/** What everything has in common that begins at one moment and ends at another. */
export interface Begun {
  /** Tells it from the others of its frame; for a call, of its caller. */
  readonly key: string;
  /** Hash of what was asked for; the same key with another one means that the program changed. An ended model step is reused all the same. */
  readonly request: string;
}

/** The tools that a skill names for whoever loads it. */
export interface LoadedTools {
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
  /** Nothing but what is allowed may be used. */
  readonly isWhole?: true;
}

/** A skill was called and may run. */
export interface FrameStarted extends Begun {
  readonly type: 'frame.started';
  /** The frame of its caller; empty for the first one. */
  readonly parent: string;
  readonly skill: string;
  readonly family: string;
  /** 1 for the first frame. */
  readonly depth: number;
  readonly input: Json;
  /** Set when it was not called for its ordinary work. */
  readonly through?: Entrance;
  /** Of its whole bundle; absent for a skill made in code. */
  readonly digest?: string;
  /** Of a skill that is loaded, and says something of tools: it binds its caller for good, whatever becomes of the file. */
  readonly tools?: LoadedTools;
  /** It may call no other skill. */
  readonly leaf: boolean;
  /** Its caller provided it, so that no registry knows it. */
  readonly provided?: true;
}

/** A skill was made ready for its first call, or could not be. */
interface PrepareEnded {
  readonly type: 'prepare.ended';
  readonly run: string;
  readonly error?: ErrorData;
  /** Of its whole bundle, where that is another one now. */
  readonly digest?: string;
}

/** A call came to its output; what it wrote to memory counts from here on. */
export interface FrameEnded {
  readonly type: 'frame.ended';
  readonly output: Output;
  /** The values that it set, by key. */
  readonly memory?: JsonObject;
  /** The keys that it took away. */
  readonly forgot?: readonly string[];
  /** Digests of bundles that its processes ran from, where the beginning of neither it nor a frame around it names them. */
  readonly ran?: readonly string[];
}

/** A call that never began: its caller got the error as data and went on. */
export interface CallRefused extends Begun {
  readonly type: 'call.refused';
  readonly skill: string;
  readonly input: Json;
  readonly error: ErrorData;
}

/** An effect is about to happen. */
export interface StepStarted extends Begun {
  readonly type: 'step.started';
}

/** An effect happened, or failed; exactly this is what its caller received. */
export interface StepEnded {
  readonly type: 'step.ended';
  /** That of its beginning. */
  readonly key: string;
  readonly value?: Json;
  readonly error?: ErrorData;
}

/** A model is about to be asked. */
export interface ModelStarted extends Begun {
  readonly type: 'model.started';
  readonly tier: string;
  readonly model: string;
  /** How many messages of the frame's last request stay in front of `added`, which are new. */
  readonly kept: number;
  readonly added: readonly Message[];
  /** What people sent meanwhile; it stands behind `added`. */
  readonly joined?: readonly Message[];
}

/** A piece of an answer, for listeners only; a new attempt makes those of earlier ones void. */
export interface ModelDelta {
  readonly type: 'model.delta';
  /** That of its beginning. */
  readonly key: string;
  readonly attempt: number;
  readonly text: string;
}

/** A model answered, or failed to. */
export interface ModelEnded {
  readonly type: 'model.ended';
  /** That of its beginning. */
  readonly key: string;
  readonly reply: ModelReply;
}

/** A person is asked. */
export interface InputRequested extends Begun {
  readonly type: 'input.requested';
  /** By which it is answered. */
  readonly id: string;
  readonly question: Question;
}

/** A person answered, or nobody did in time. */
export interface InputResolved {
  readonly type: 'input.resolved';
  /** That of its beginning. */
  readonly key: string;
  /** Null where there is none. */
  readonly answer: Json;
  /** Set when nobody answered in time; exactly this is what its caller received. */
  readonly error?: ErrorData;
}

/** A person is to decide whether a call may happen. */
export interface ApprovalRequested extends Begun {
  readonly type: 'approval.requested';
  /** By which it is decided. */
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/** A skill made something that is kept with the run. */
export interface ArtifactCreated {
  readonly type: 'artifact.created';
  /** The same artifact of a frame that runs again has the same one, and is not added again. */
  readonly key: string;
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
  /** Of the whole text: `sha256:` and 64 digits. */
  readonly digest: string;
  /** Set when the end of the text is missing. */
  readonly cut?: true;
  readonly data?: Json;
}

/** A skill said something. */
interface NoteAdded {
  readonly type: 'note.added';
  /** The same note of a frame that runs again has the same one, and is not added again. */
  readonly key: string;
  readonly message: string;
  readonly data?: Json;
}

/** A person decided. */
export interface ApprovalResolved {
  readonly type: 'approval.resolved';
  /** That of its beginning. */
  readonly key: string;
  readonly answer: Approval;
  /** Set when nobody was needed any more, because the policy had changed meanwhile. */
  readonly by?: 'policy';
}
