import type { ArtifactCreated } from './event-types.ts';
import type { MessageAttachment } from './model/attachment.ts';
import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import type { Message, ModelReply } from './model.ts';
import type { Approval, ApprovalRequest } from './policy.ts';
import type { CandidatesRanked, RunEnded, SkillSelected } from './event-types.ts';
import type { ClientTool } from './policy/client-tools.ts';
import type { Actor, RunAccess } from './policy/run-access.ts';
import type { RecordedLimits } from './policy/run-limits.ts';
import type { AssistantMode, CallMode, Output, Question, RunResult, CallOverrides } from './run.ts';

/** A run in progress. */
export interface RunHandle {
  /**
   * The id of the run. If the prompt answers an earlier run's question in the same session, the id changes to
   * that run's id at the first event.
   */
  readonly id: string;
  /**
   * All of the run's events, starting with the first. The stream ends when the run ends or starts to wait.
   */
  readonly events: AsyncIterable<RunEvent>;
  /** The result of the run. Failures are returned as data, so a failed run does not reject the promise. */
  readonly result: Promise<RunResult>;
  /** Sends a message to the run. It joins the conversation at the next model step of the outermost loop. */
  steer(text: string): Promise<void>;
  /** Cancels the run permanently. Resolves once all its work has stopped. */
  cancel(reason?: string): Promise<void>;
}

/** The version of the event format, written with every event. */
export const eventVersion = 1;

/** The fields that all events have in common. */
export interface Envelope {
  /** The version of the event format. */
  readonly v: typeof eventVersion;
  /** The id of the run whose log contains the event. */
  readonly runId: string;
  /** The id of the frame that the event belongs to. Empty for an event of the run itself. */
  readonly frameId: string;
  /** The event's position in the log, from 1 without gaps, or 0 if it is sent only to listeners. */
  readonly seq: number;
  /** The time in milliseconds since the Unix epoch, by the clock of the process that wrote the event. */
  readonly at: number;
}

/** One event of a run. The event log is the complete record of a run; every view is computed from it. */
export type RunEvent = Envelope & EventBody;

/** An event that has not been appended to the log yet. */
export type NewEvent = Pick<Envelope, 'frameId' | 'at'> & EventBody;

/** The content of an event. Event types consist of a noun and a past participle, such as `run.started`. */
export type EventBody =
  | RunStarted
  /** The process `owner` resumed the run after an answer, a crash or a pause. */
  | { readonly type: 'run.resumed'; readonly owner: string; readonly version?: string }
  /** The run is waiting for answers. `questions` contains the ids of the questions. */
  | { readonly type: 'run.waiting'; readonly questions: readonly string[] }
  | RunEnded
  | CandidatesRanked
  | SkillSelected
  | FrameStarted
  | FrameEnded
  | CallRefused
  /** A separate run, whose id is `run`, is preparing a skill for its first call. */
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

/** A run started. Contains everything needed to start it again. */
export interface RunStarted {
  readonly type: 'run.started';
  /** The skill's name, as given by the caller. Empty if the prompt determines the skill. */
  readonly skill: string;
  /** The request as text. Absent if it consists only of the named skill's input. */
  readonly prompt?: string;
  /** Set if the run is a turn in its session's conversation. */
  readonly turn?: true;
  readonly input: Json;
  readonly session: string;
  /** A pseudonymous value that identifies the user. Absent if no user is specified. */
  readonly user?: string;
  /** The roles of the user. */
  readonly roles?: readonly string[];
  /** The id of the key with which a server received the request. */
  readonly client?: string;
  /** The restrictions of the run. Absent if the run may do everything that the project allows. */
  readonly access?: RunAccess;
  /** The client's instructions for the assistant. */
  readonly instructions?: string;
  /** The tools that the client offers to the outermost skill. */
  readonly tools?: readonly ClientTool[];
  readonly limits: RecordedLimits;
  /** Set if the run only loads or builds the skill. */
  readonly through?: 'load' | 'build';
  /** The settings that the caller overrode for this call. */
  readonly wanted?: Omit<CallOverrides, 'check'>;
  /** Whether the host program answers questions (`reads`) and receives output (`writes`). */
  readonly io?: { readonly reads: boolean; readonly writes: boolean };
  /** The assistant's mode for a prompt that no skill fits. Absent in logs of earlier releases. */
  readonly assistant?: AssistantMode;
  /** The pictures that belong to the prompt. */
  readonly attachments?: readonly MessageAttachment[];
  /** Set if the assistant takes the request without a selection. */
  readonly toAssistant?: true;
  /** Set if a server took the request: any server with the same store continues the run after a crash. */
  readonly submitted?: true;
  /** The name of the skill that the run prepares. Absent if the run handles a request. */
  readonly prepares?: string;
  /** The id of an earlier run whose finished frames are reused. */
  readonly rerunOf?: string;
  /** The version of the program that recorded the run. Absent in logs of earlier releases. */
  readonly version?: string;
}

/** The fields common to all events that mark the start of a step, call or request. */
export interface Begun {
  /** The key that identifies the step within its frame, or the call within the caller's frame. */
  readonly key: string;
  /**
   * The hash of the request. If the hash recorded for the same key is different, the program has changed.
   * Finished model steps are reused nevertheless.
   */
  readonly request: string;
}

/** The tools that a skill allows or forbids in the conversation that loads it. */
export interface LoadedTools {
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
  /** Set if the list is complete: tools that it does not contain cannot be used. */
  readonly isWhole?: true;
}

/** A frame (one call to a skill) started. The policy had already allowed the call. */
export interface FrameStarted extends Begun {
  readonly type: 'frame.started';
  /** The caller's frame. Empty for the first frame. */
  readonly parent: string;
  readonly skill: string;
  readonly family: string;
  /** The nesting depth, which is 1 for the first frame. */
  readonly depth: number;
  readonly input: Json;
  /** The mode of the call, if it is not normal execution. */
  readonly through?: CallMode;
  /** The digest of the skill's bundle. Absent for a skill defined in code. */
  readonly digest?: string;
  /** The tool list of the loaded skill. It continues to apply to the caller even if the file changes. */
  readonly tools?: LoadedTools;
  /** Whether the skill is not allowed to call other skills. */
  readonly leaf: boolean;
  /** Set if the caller provided the skill. Such a skill is not in any registry. */
  readonly provided?: true;
}

/** A skill was prepared for its first call, or its preparation failed. */
interface PrepareEnded {
  readonly type: 'prepare.ended';
  readonly run: string;
  readonly error?: ErrorData;
  /** The digest of the skill's bundle, if it changed. */
  readonly digest?: string;
}

/** A call ended with an output. Its changes to the session's memory now take effect. */
export interface FrameEnded {
  readonly type: 'frame.ended';
  readonly output: Output;
  /** The values that the call set, by key. */
  readonly memory?: JsonObject;
  /** The keys that the call deleted. */
  readonly forgot?: readonly string[];
  /**
   * The digests of the bundles used by the call's processes. Omits digests that were already recorded when
   * this frame or an enclosing frame started.
   */
  readonly ran?: readonly string[];
}

/** A call was rejected before it started. Its caller received the error as data and continued. */
export interface CallRefused extends Begun {
  readonly type: 'call.refused';
  readonly skill: string;
  readonly input: Json;
  readonly error: ErrorData;
}

/** A step with side effects is about to run. */
export interface StepStarted extends Begun {
  readonly type: 'step.started';
}

/** A step with side effects succeeded or failed. The caller received exactly this outcome. */
export interface StepEnded {
  readonly type: 'step.ended';
  /** The key of the event that marks the start of the step. */
  readonly key: string;
  readonly value?: Json;
  readonly error?: ErrorData;
}

/** A request is about to be sent to a model. */
export interface ModelStarted extends Begun {
  readonly type: 'model.started';
  readonly tier: string;
  readonly model: string;
  /** The number of messages kept from the previous request. They precede `added`. */
  readonly kept: number;
  readonly added: readonly Message[];
  /** The messages that users sent since the previous request. They follow `added`. */
  readonly joined?: readonly Message[];
}

/** A chunk of a streamed response, sent only to listeners. A new attempt replaces all earlier chunks. */
export interface ModelDelta {
  readonly type: 'model.delta';
  /** The key of the event that marks the start of the model step. */
  readonly key: string;
  readonly attempt: number;
  readonly text: string;
}

/** A model responded or failed to respond. */
export interface ModelEnded {
  readonly type: 'model.ended';
  /** The key of the event that marks the start of the model step. */
  readonly key: string;
  readonly reply: ModelReply;
}

/** The user was asked for input. */
export interface InputRequested extends Begun {
  readonly type: 'input.requested';
  /** The id to use when answering the request. */
  readonly id: string;
  readonly question: Question;
}

/** The user answered, or no one answered in time. */
export interface InputResolved {
  readonly type: 'input.resolved';
  /** The key of the request for input. */
  readonly key: string;
  /** The answer, or null if there is none. */
  readonly answer: Json;
  /** The error that the caller received. Set if no one answered in time. */
  readonly error?: ErrorData;
  readonly actor?: Actor;
}

/** The user was asked to approve or deny a call. */
export interface ApprovalRequested extends Begun {
  readonly type: 'approval.requested';
  /** The id to use when approving or denying the call. */
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/** A skill added a note. */
interface NoteAdded {
  readonly type: 'note.added';
  /** A key that stays the same if the frame runs again, so that the note is not added twice. */
  readonly key: string;
  readonly message: string;
  readonly data?: Json;
}

/** The user decided on an approval request, or the request became unnecessary. */
export interface ApprovalResolved {
  readonly type: 'approval.resolved';
  /** The key of the approval request. */
  readonly key: string;
  readonly answer: Approval;
  /** Set if the request became unnecessary because the policy had changed. */
  readonly by?: 'policy';
  readonly actor?: Actor;
}
