import {
  addUsage,
  noUsage,
  optional,
  type Approval,
  type ApprovalRequest,
  type CallRefused,
  type ErrorData,
  type FrameEnded,
  type FrameStarted,
  type Json,
  type Message,
  type ModelReply,
  type RunEvent,
  type RunStarted,
  type Usage,
} from '../../core/index.ts';
import { approvalKeys, grantedKey, type ApprovalSubject } from '../permissions/approvals.ts';

/** The outcome of a step. */
export interface StepOutcome {
  readonly value?: Json;
  readonly error?: ErrorData;
  readonly reply?: ModelReply;
}

/** A step that has begun and may have ended. */
export interface KnownStep {
  readonly request: string;
  readonly attempts: number;
  readonly outcome?: StepOutcome;
  /** The sequence number of the step's end event. */
  readonly endedAt?: number;
  /** The number of the step among the model steps of its frame, starting at 1. */
  readonly ordinal?: number;
  /** User messages that were added to the model request. */
  readonly joined?: readonly Message[];
  /** The question's id, set only for questions. */
  readonly questionId?: string;
  readonly asks?: ApprovalRequest;
  /** The program version that first started the step. That version also chose its key. */
  readonly version: string | undefined;
  /** The time when the step expires, in milliseconds since the Unix epoch. */
  readonly expires?: number;
}

/** A call that has begun and may have ended. */
export interface KnownFrame {
  readonly id: string;
  readonly started: FrameStarted;
  readonly at: number;
  readonly ended?: FrameEnded & { readonly seq: number };
  /** The digest of the skill's files, if preparing the skill changed the files. */
  readonly digest?: string;
  /** The program version that recorded the call. */
  readonly version: string | undefined;
}

/** A call that was refused. */
interface KnownRefusal extends CallRefused {
  readonly seq: number;
  /** The program version that recorded the refusal. */
  readonly version: string | undefined;
}

/** The number of calls and the model usage of a run or frame. */
export interface Spent {
  readonly frames: number;
  readonly leafCalls: number;
  readonly usage: Usage;
}

/** The usage of a frame that has not begun yet. */
export const nothingSpent: Spent = { frames: 0, leafCalls: 0, usage: noUsage };

/** The state of a run, computed from the events in its log. */
export class RunState {
  started: RunStarted | undefined;
  isEnded = false;
  /** The program versions that wrote the log. An entry is undefined if the program recorded no version. */
  readonly versions = new Set<string | undefined>();
  readonly frames = new Map<string, KnownFrame>();
  readonly #steps = new Map<string, KnownStep>();
  readonly #refused = new Map<string, KnownRefusal>();
  readonly #open = new Map<string, Set<string>>(); // Open frame ids, keyed by parent id.
  readonly #notes = new Set<string>();
  readonly #usage = new Map<string, Usage>();
  readonly #modelSteps = new Map<string, number>();
  readonly #lastAsked = new Map<string, string>();
  readonly #approvedRules = new Set<string>();
  #version: string | undefined;
  readonly #spans: { from: number; to: number }[] = [];

  /** Updates the state with the log's next event. */
  add(event: RunEvent): void {
    this.#addTime(event);
    const { frameId } = event;
    switch (event.type) {
      case 'run.started':
        this.started = event;
        this.#versionIs(event.version);
        return;
      case 'run.resumed':
        this.isEnded = false;
        this.#versionIs(event.version);
        return;
      case 'run.ended':
        this.isEnded = true;
        return;
      case 'frame.started':
        this.frames.set(frameId, { id: frameId, started: event, at: event.at, version: this.#version });
        this.#openBelow(event.parent).add(frameId);
        return;
      case 'frame.ended': {
        const frame = this.frames.get(frameId);
        this.#openBelow(frame?.started.parent ?? '').delete(frameId);
        if (frame !== undefined) this.frames.set(frameId, { ...frame, ended: event });
        return;
      }
      case 'prepare.ended': {
        const frame = this.frames.get(frameId);
        if (frame !== undefined && event.digest !== undefined)
          this.frames.set(frameId, { ...frame, digest: event.digest });
        return;
      }
      case 'call.refused':
        this.#refused.set(`${frameId}/${event.key}`, { ...event, version: this.#version });
        return;
      case 'step.started':
        this.#begin(frameId, event.key, { request: event.request });
        return;
      case 'model.started':
        this.#lastAsked.set(frameId, event.key);
        this.#begin(frameId, event.key, {
          request: event.request,
          ordinal: this.step(frameId, event.key)?.ordinal ?? this.#nextOrdinal(frameId),
          ...optional('joined', event.joined),
        });
        return;
      case 'input.requested':
        this.#begin(frameId, event.key, {
          request: event.request,
          questionId: event.id,
          ...optional('expires', event.question.expires),
        });
        return;
      case 'approval.requested':
        this.#begin(frameId, event.key, { request: event.request, questionId: event.id, asks: event.asks });
        return;
      case 'note.added':
      case 'artifact.created':
        this.#notes.add(`${frameId}/${event.key}`);
        return;
      case 'step.ended':
        this.#end(frameId, event.key, event.seq, event);
        return;
      case 'input.resolved':
        this.#end(frameId, event.key, event.seq, {
          value: event.answer,
          ...optional('error', event.error),
        });
        return;
      case 'model.ended':
        this.#end(frameId, event.key, event.seq, { reply: event.reply });
        this.#usage.set(frameId, addUsage(this.#usage.get(frameId) ?? noUsage, event.reply.usage));
        return;
      case 'approval.resolved':
        if (event.by === 'policy') {
          // Remove the earlier decision, so that a new approval request does not reuse it.
          this.#steps.delete(`${frameId}/${event.key}`);
          return;
        }
        this.#end(frameId, event.key, event.seq, { value: event.answer });
        this.#approve(frameId, event.key, event.answer);
        return;
      default:
        return;
    }
  }

  /** Returns a step's recorded state, or undefined if the step has not begun. */
  step(frameId: string, key: string): KnownStep | undefined {
    return this.#steps.get(`${frameId}/${key}`);
  }

  /** Returns the keys of a frame's steps, in the order in which they first began. */
  stepKeys(frameId: string): readonly string[] {
    const start = `${frameId}/`;
    return [...this.#steps.keys()].filter((id) => id.startsWith(start)).map((id) => id.slice(start.length));
  }

  /** Returns the key of the last model step that began in a frame. */
  lastAsked(frameId: string): string | undefined {
    return this.#lastAsked.get(frameId);
  }

  /** Returns a call's refusal, or undefined if the call was not refused. */
  refused(frameId: string, key: string): KnownRefusal | undefined {
    return this.#refused.get(`${frameId}/${key}`);
  }

  /** Whether the log has a note or an artifact with this key. */
  isNoted(frameId: string, key: string): boolean {
    return this.#notes.has(`${frameId}/${key}`);
  }

  /** Whether the user has approved all calls that match a rule, in this run or for a skill version. */
  isApproved(asked: ApprovalSubject): boolean {
    const { run, lasting } = approvalKeys(asked);
    return this.#approvedRules.has(run) || (lasting !== undefined && this.#approvedRules.has(lasting));
  }

  /** Returns the open frames below a frame. */
  openBelow(frameId: string): readonly KnownFrame[] {
    const own = [...(this.#open.get(frameId) ?? [])].map((id) => this.frames.get(id));
    return own
      .filter((frame) => frame !== undefined)
      .flatMap((frame) => [frame, ...this.openBelow(frame.id)]);
  }

  /** Returns the usage of a frame and all frames below it, or of the entire run if the id is empty. */
  spentBelow(frameId: string): Spent {
    const below = [...this.frames.values()].filter((frame) => this.#isBelow(frame, frameId));
    const leaves = below.filter(({ started }) => started.leaf).length;
    const payers = frameId === '' ? [...this.#usage.keys()] : below.map(({ id }) => id);
    const usage = payers.reduce((sum, id) => addUsage(sum, this.#usage.get(id) ?? noUsage), noUsage);
    return { frames: below.length - leaves, leafCalls: leaves, usage };
  }

  /** Returns the number of milliseconds that processes have worked on the run since `moment`. */
  activeSince(moment: number): number {
    return this.#spans.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, moment)), 0);
  }

  #versionIs(version: string | undefined): void {
    this.#version = version;
    this.versions.add(version);
  }

  #openBelow(parent: string): Set<string> {
    const open = this.#open.get(parent) ?? new Set();
    this.#open.set(parent, open);
    return open;
  }

  #nextOrdinal(frameId: string): number {
    const ordinal = (this.#modelSteps.get(frameId) ?? 0) + 1;
    this.#modelSteps.set(frameId, ordinal);
    return ordinal;
  }

  #isBelow(frame: KnownFrame, ancestor: string): boolean {
    for (let at: KnownFrame | undefined = frame; at !== undefined; at = this.frames.get(at.started.parent)) {
      if (at.id === ancestor) return true;
    }
    return ancestor === '';
  }

  #begin(frameId: string, key: string, step: Omit<KnownStep, 'attempts' | 'version'>): void {
    const id = `${frameId}/${key}`;
    const { attempts, version } = this.#steps.get(id) ?? { attempts: 0, version: this.#version };
    this.#steps.set(id, { ...step, attempts: attempts + 1, version });
  }

  #end(frameId: string, key: string, endedAt: number, { value, error, reply }: StepOutcome): void {
    const id = `${frameId}/${key}`;
    const begun = this.#steps.get(id) ?? { request: '', attempts: 1, version: this.#version };
    const outcome = {
      ...(value === undefined ? {} : { value }),
      ...(error === undefined ? {} : { error }),
      ...(reply === undefined ? {} : { reply }),
    };
    this.#steps.set(id, { ...begun, outcome, endedAt });
  }

  #approve(frameId: string, key: string, answer: Approval): void {
    const asks = this.step(frameId, key)?.asks;
    const granted = asks === undefined ? undefined : grantedKey(asks, answer);
    if (granted !== undefined) this.#approvedRules.add(granted);
  }

  /**
   * Adds an event's time to the working periods. A process is assumed to work from its first event to its
   * last.
   */
  #addTime({ type, at }: RunEvent): void {
    const last = this.#spans.at(-1);
    if (last === undefined || type === 'run.resumed') this.#spans.push({ from: at, to: at });
    else last.to = Math.max(last.to, at);
  }
}
